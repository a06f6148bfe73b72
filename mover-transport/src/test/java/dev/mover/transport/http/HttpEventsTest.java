package dev.mover.transport.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

class HttpEventsTest {
  private static final HttpTimes IMPATIENT =
      new HttpTimes(
          Duration.ofSeconds(10),
          Duration.ofSeconds(10),
          Duration.ofMillis(50),
          Duration.ofMillis(500));

  private final Sinks.Many<HttpEvent> news = Sinks.many().unicast().onBackpressureBuffer();
  private final CountDownLatch cancelled = new CountDownLatch(1);
  private final AtomicLong made = new AtomicLong();
  private final HttpEndpoint endpoint =
      HttpEndpoint.bind(
          "127.0.0.1",
          0,
          HttpRoutes.none()
              .get("/few", _ -> new HttpEvents(Flux.range(1, 500).map(HttpEventsTest::event)))
              .get("/news", _ -> new HttpEvents(news.asFlux().doOnCancel(cancelled::countDown)))
              .get("/never", _ -> new HttpEvents(Flux.never()))
              .get("/flood", _ -> new HttpEvents(flood()))
              .get(
                  "/failing",
                  _ -> new HttpEvents(Flux.concat(Flux.just(event(1)), Flux.error(noSuchJob())))),
          IMPATIENT);

  private static HttpEvent event(int number) {
    return new HttpEvent(Integer.toString(number), "state", "{\n\"number\":" + number + "}");
  }

  private static InputException noSuchJob() {
    return new InputException(ErrorCode.NO_SUCH_JOB, "no job 7");
  }

  private Flux<HttpEvent> flood() {
    String data = "x".repeat(HttpEvent.MAX_DATA);
    return Flux.<HttpEvent>generate(
            sink -> {
              made.incrementAndGet();
              sink.next(new HttpEvent("", "flood", data));
            })
        .doOnCancel(cancelled::countDown);
  }

  @AfterEach
  void close() {
    endpoint.close();
  }

  @Test
  void sendsAllEventsInOrderAndEndsWithThem() throws Exception {
    try (RawHttp reader = ask("/few")) {
      String all = reader.hearOut();
      assertThat(all).contains("200 OK").containsIgnoringCase("content-type: text/event-stream");
      int from = 0;
      for (int i = 1; i <= 500; i++) {
        String event = "id: " + i + "\nevent: state\ndata: {\ndata: \"number\":" + i + "}\n\n";
        from = all.indexOf(event, from);
        assertThat(from).isPositive();
      }
    }
  }

  @Test
  void sendsEachEventWhenItComesAndNoticesThatTheReaderIsGone() throws Exception {
    try (RawHttp reader = ask("/news")) {
      reader.hear("\r\n\r\n");
      for (int i = 1; i <= 3; i++) {
        news.tryEmitNext(event(i)).orThrow();
        assertThat(reader.hear("\"number\":" + i + "}\n\n")).contains("id: " + i);
      }
    }
    assertThat(cancelled.await(20, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void sendsHeartbeatsWhileNothingHappens() throws Exception {
    try (RawHttp reader = ask("/never")) {
      reader.hear("\r\n\r\n");
      assertThat(reader.hear(":\n\n")).endsWith(":\n\n");
      assertThat(reader.hear(":\n\n")).endsWith(":\n\n");
    }
  }

  @Test
  void cutsAReaderOffThatTakesNothingAndHoldsNothingForIt() throws Exception {
    try (RawHttp reader = new RawHttp(endpoint.address(), 4096)) {
      reader.say("GET /flood HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assertThat(cancelled.await(20, TimeUnit.SECONDS)).isTrue();
      // What the two socket buffers took (a few MiB at most), and no more than two here.
      assertThat(made.get()).isBetween(1L, 200L);
    }
  }

  @Test
  void tellsTheReaderWhyTheEventsEnd() throws Exception {
    try (RawHttp reader = ask("/failing")) {
      assertThat(reader.hearOut())
          .contains("id: 1\n")
          .contains("event: error\ndata: {\"error\":{\"code\":105,\"name\":\"NO_SUCH_JOB\"");
    }
  }

  @Test
  void keepsRoomForOthersBesideItsReaders() throws Exception {
    List<RawHttp> readers = new ArrayList<>();
    try {
      for (int i = 0; i < EventStream.MOST_READERS; i++) {
        readers.add(ask("/never"));
        readers.getLast().hear("\r\n\r\n");
      }
      try (RawHttp more = ask("/never")) {
        assertThat(more.hearOut()).contains("503").contains("\"BUSY\"");
      }
      readers.removeFirst().close();
      assertThat(becomesFree()).isTrue();
    } finally {
      for (RawHttp reader : readers) {
        reader.close();
      }
    }
  }

  private boolean becomesFree() throws Exception {
    for (int i = 0; i < 1000; i++) {
      try (RawHttp again = ask("/never")) {
        if (again.hear("\r\n\r\n").contains("200 OK")) {
          return true;
        }
      }
    }
    return false;
  }

  @Test
  void endsItsReadersWhenItCloses() throws Exception {
    try (RawHttp reader = ask("/never")) {
      reader.hear("\r\n\r\n");
      endpoint.close();
      reader.hearOut(); // ends
    }
  }

  @Test
  void takesOnlyEventsThatFitTheFormat() {
    assertThatThrownBy(() -> new HttpEvent("1\n", "state", ""))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new HttpEvent("1", "a\rb", ""))
        .isInstanceOf(IllegalArgumentException.class);
    String tooLong = "x".repeat(HttpEvent.MAX_DATA + 1);
    assertThatThrownBy(() -> new HttpEvent("", "state", tooLong))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private RawHttp ask(String path) throws Exception {
    RawHttp reader = new RawHttp(endpoint.address());
    reader.say("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return reader;
  }
}
