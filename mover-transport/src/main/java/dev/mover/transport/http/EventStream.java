package dev.mover.transport.http;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import io.netty.handler.timeout.WriteTimeoutHandler;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.netty.http.server.HttpServerResponse;

/**
 * Sends server-sent events. One event is on its way at a time: the next is asked for when the last
 * one is in the socket, so what a slow reader costs is one event here and the socket's own buffer.
 * Heartbeats are dropped while an event waits. A reader that takes nothing for {@code stalled} is
 * cut off, and the events' stream cancelled.
 */
final class EventStream {
  private static final Logger log = LoggerFactory.getLogger(EventStream.class);

  /** Half of the endpoint's connections: watchers must not shut everybody else out. */
  static final int MOST_READERS = 32;

  private static final String HEARTBEAT = ":\n\n";

  private final HttpTimes times;
  private final AtomicInteger readers = new AtomicInteger();

  EventStream(HttpTimes times) {
    this.times = times;
  }

  /**
   * Sends until the events complete; fails when the connection does.
   *
   * @throws HttpRefusal 503 when there are {@value #MOST_READERS} readers already
   */
  Mono<Void> send(HttpEvents answer, HttpServerResponse response) {
    if (readers.incrementAndGet() > MOST_READERS) {
      readers.decrementAndGet();
      throw HttpRefusal.busy("too many read events already; try again later");
    }
    Flux<Void> written =
        texts(answer.events())
            .concatMap(text -> response.sendString(chunk(text)).then(), 1)
            .doFinally(_ -> readers.decrementAndGet());
    return response
        .sse()
        .header("Cache-Control", "no-store")
        .keepAlive(false)
        .withConnection(
            c ->
                c.addHandlerLast(
                    new WriteTimeoutHandler(times.stalled().toMillis(), TimeUnit.MILLISECONDS)))
        .then(response.sendHeaders().then(written.then()))
        .then();
  }

  /** Hidden, because Reactor Netty takes a single known value for a whole body and drops it. */
  private static Flux<String> chunk(String text) {
    return Flux.just(text).hide();
  }

  private Flux<String> texts(Flux<HttpEvent> events) {
    Sinks.Empty<Void> ended = Sinks.empty();
    Flux<String> heartbeats =
        Flux.interval(times.heartbeat())
            .onBackpressureDrop()
            .map(_ -> HEARTBEAT)
            .takeUntilOther(ended.asMono());
    Flux<String> news =
        events
            .map(HttpEvent::text)
            .onErrorResume(e -> Mono.just(last(e).text()))
            .doFinally(_ -> ended.tryEmitEmpty());
    return Flux.merge(1, news, heartbeats);
  }

  private static HttpEvent last(Throwable error) {
    if (error instanceof MoverException known) {
      return new HttpEvent("", "error", HttpReply.error(known).body());
    }
    log.error("a stream of events failed", error);
    HttpReply reply =
        HttpReply.error(
            500, ErrorCode.INTERNAL, Side.LINK, "internal error, please report it: " + error);
    return new HttpEvent("", "error", reply.body());
  }
}
