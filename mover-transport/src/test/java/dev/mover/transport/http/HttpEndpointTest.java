package dev.mover.transport.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HttpEndpointTest {
  private final CountDownLatch gate = new CountDownLatch(1);
  private final HttpClient client = HttpClient.newHttpClient();
  private final HttpEndpoint endpoint =
      HttpEndpoint.bind(
          "127.0.0.1",
          0,
          HttpRoutes.none()
              .get("/health", _ -> HttpReply.json(200, "{\"status\":\"success\",\"é\":1}"))
              .get("/slow", _ -> slow())
              .get("/broken", _ -> fail(new IllegalStateException("out of order")))
              .get("/fails/{code}", r -> fail(known(r.variable("code"))))
              .post("/echo/{name}", HttpEndpointTest::echo)
              .put("/echo/{name}", HttpEndpointTest::echo),
          new HttpTimes(
              Duration.ofSeconds(1),
              Duration.ofSeconds(20),
              Duration.ofSeconds(15),
              Duration.ofSeconds(30)));

  private static HttpReply fail(RuntimeException e) {
    throw e;
  }

  private static MoverException known(String code) {
    return MoverException.of(ErrorCode.valueOf(code), Side.REPOSITORY, "\"why\"\né");
  }

  private static HttpReply echo(HttpRequest request) {
    return HttpReply.text(
            201,
            request.method()
                + " "
                + request.variable("name")
                + " "
                + request.parameter("q").orElse("-")
                + " "
                + request.body())
        .with("Location", "/there");
  }

  @AfterEach
  void close() {
    gate.countDown();
    client.close();
    endpoint.close();
  }

  /** Blocks, as a handler may. */
  private HttpReply slow() {
    try {
      gate.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return HttpReply.text(200, "at last");
  }

  @Test
  void answersItsRoutes() throws Exception {
    HttpResponse<String> reply = ask("GET", "/health?verbose=1");
    assertThat(reply.statusCode()).isEqualTo(200);
    assertThat(reply.body()).isEqualTo("{\"status\":\"success\",\"é\":1}");
    assertThat(reply.headers().firstValue("content-type")).contains("application/json");
    assertThat(ask("HEAD", "/health").body()).isEmpty();
  }

  @Test
  void refusesWhatItDoesNotKnow() throws Exception {
    for (String path : List.of("/nothing", "/health/", "/", "/echo/")) {
      assertRefused(ask("GET", path), 404, "BAD_USAGE");
    }
    assertRefused(ask("DELETE", "/nothing"), 404, "BAD_USAGE");
    assertRefused(ask("POST", "/health"), 405, "BAD_USAGE");
    assertThat(ask("POST", "/health").headers().firstValue("allow")).contains("GET, HEAD");
    assertThat(ask("GET", "/echo/a").headers().firstValue("allow")).contains("POST, PUT");
  }

  @Test
  void handsOverPathQueryAndBody() throws Exception {
    HttpResponse<String> reply = send("PUT", "/echo/a%2Fb+c%C3%A9?q=x+y%26z&q=2", "{\"é\":1}");
    assertThat(reply.statusCode()).isEqualTo(201);
    assertThat(reply.body()).isEqualTo("PUT a/b+cé x y&z {\"é\":1}");
    assertThat(reply.headers().firstValue("location")).contains("/there");
    assertThat(send("POST", "/echo/n", "").body()).isEqualTo("POST n - ");
  }

  @Test
  void takesBodiesUpToItsLimit() throws Exception {
    String most = "x".repeat(HttpIntake.MAX_BODY_BYTES);
    assertThat(send("POST", "/echo/n", most).body()).endsWith(most);
    assertRefused(send("POST", "/echo/n", most + "x"), 413, "BAD_USAGE");
    try (RawHttp raw = new RawHttp(endpoint.address())) {
      raw.say("POST /echo/n HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1073741824\r\n\r\n");
      assertThat(raw.hearOut()).contains(" 413 ").contains("65536 bytes");
    }
  }

  @Test
  void takesNoBodyThatIsNotJsonText() throws Exception {
    HttpResponse<String> form =
        client.send(
            request("POST", "/echo/n", "a=b", "application/x-www-form-urlencoded"),
            HttpResponse.BodyHandlers.ofString());
    assertRefused(form, 415, "BAD_USAGE");
    try (RawHttp raw = new RawHttp(endpoint.address())) {
      raw.say("POST /echo/n HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n");
      raw.say("Content-Length: 1\r\n\r\né"); // the first of its two bytes
      assertThat(raw.hearOut()).contains(" 400 ").contains("not UTF-8");
    }
  }

  @Test
  void refusesWhatIsNotPercentEncoded() throws Exception {
    for (String path : List.of("/echo/%zz", "/echo/n?q=%zz", "echo")) {
      try (RawHttp raw = new RawHttp(endpoint.address())) {
        raw.say("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
        assertThat(raw.hearOut()).contains(" 400 ");
      }
    }
  }

  @Test
  void refusesLinesAndHeadersBeyondItsLimits() throws Exception {
    String tooLong = "x".repeat(9000);
    for (String start :
        List.of("GET /" + tooLong + " HTTP/1.1\r\n", "GET / HTTP/1.1\r\nX: " + tooLong + "\r\n")) {
      try (RawHttp raw = new RawHttp(endpoint.address())) {
        raw.say(start + "Host: localhost\r\n\r\n");
        assertThat(raw.hear("\r\n")).containsPattern(" (414|431|413) ");
      }
    }
  }

  @Test
  void waitsForNoRequestForEver() throws Exception {
    try (RawHttp raw = new RawHttp(endpoint.address())) {
      raw.say("POST /echo/n HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nab");
      assertThat(raw.hearOut()).contains(" 408 ").contains("DEADLINE_PASSED");
    }
    try (RawHttp raw = new RawHttp(endpoint.address())) {
      raw.say("GET /health HT");
      assertThat(raw.isShutOut()).isTrue();
    }
  }

  @Test
  void admitsOnlySoManyConnections() throws Exception {
    List<RawHttp> open = new ArrayList<>();
    try {
      for (int i = 0; i < HttpEndpoint.MOST_CONNECTIONS; i++) {
        open.add(new RawHttp(endpoint.address()));
        open.getLast().say("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assertThat(open.getLast().hear("}")).contains("200 OK");
      }
      try (RawHttp more = new RawHttp(endpoint.address())) {
        assertThat(more.isShutOut()).isTrue();
      }
    } finally {
      for (RawHttp raw : open) {
        raw.close();
      }
    }
  }

  @Test
  void saysThatAHandlerFailed() throws Exception {
    HttpResponse<String> reply = ask("GET", "/broken");
    assertRefused(reply, 500, "INTERNAL");
    assertThat(reply.body()).contains("out of order");
  }

  @ParameterizedTest
  @CsvSource({
    "BAD_NAME,400",
    "SOURCE_MISSING,400",
    "NO_SUCH_JOB,404",
    "NO_SUCH_POINT,404",
    "MACHINE_BUSY,409",
    "JOB_ENDED,409",
    "BUSY,503",
    "CONNECT_FAILED,503",
    "SHUTTING_DOWN,503",
    "BLOCK_DAMAGED,500",
    "INTERNAL,500"
  })
  void answersEveryKnownErrorWithItsStatusAndAsJson(String code, int status) throws Exception {
    HttpResponse<String> reply = ask("GET", "/fails/" + code);
    assertThat(reply.statusCode()).isEqualTo(status);
    assertThat(reply.headers().firstValue("content-type")).contains("application/json");
    assertThat(reply.body())
        .isEqualTo(
            "{\"error\":{\"code\":%d,\"name\":\"%s\",\"side\":\"%s\",\"message\":\"\\\"why\\\"\\u000a\\u00e9\"}}"
                .formatted(
                    ErrorCode.valueOf(code).number(),
                    code,
                    known(code).side().name().toLowerCase(Locale.ROOT)));
  }

  @Test
  void shedsLoadWhenItsHandlersAreBusy() {
    List<CompletableFuture<Integer>> statuses = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      java.net.http.HttpRequest request = request("GET", "/slow", "", "text/plain");
      statuses.add(
          client
              .sendAsync(request, HttpResponse.BodyHandlers.ofString())
              .thenApply(
                  reply -> {
                    if (reply.statusCode() == 503) {
                      gate.countDown();
                    }
                    return reply.statusCode();
                  }));
    }
    List<Integer> all = statuses.stream().map(CompletableFuture::join).toList();
    assertThat(all).contains(200, 503).doesNotContain(500);
  }

  @Test
  void refusesAPortInUse() {
    assertThatThrownBy(
            () -> HttpEndpoint.bind("127.0.0.1", endpoint.address().getPort(), HttpRoutes.none()))
        .isInstanceOfSatisfying(
            MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PORT_IN_USE));
    assertThatThrownBy(() -> HttpEndpoint.bind("192.0.2.1", 0, HttpRoutes.none()))
        .isInstanceOfSatisfying(
            MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_ADDRESS));
  }

  private static void assertRefused(HttpResponse<String> reply, int status, String name) {
    assertThat(reply.statusCode()).isEqualTo(status);
    assertThat(reply.body()).contains("\"name\":\"" + name + "\"");
  }

  private HttpResponse<String> ask(String method, String path)
      throws IOException, InterruptedException {
    return send(method, path, "");
  }

  private HttpResponse<String> send(String method, String path, String body)
      throws IOException, InterruptedException {
    return client.send(
        request(method, path, body, "application/json; charset=utf-8"),
        HttpResponse.BodyHandlers.ofString());
  }

  private java.net.http.HttpRequest request(
      String method, String path, String body, String contentType) {
    return java.net.http.HttpRequest.newBuilder()
        .uri(URI.create("http://127.0.0.1:" + endpoint.address().getPort() + path))
        .version(HttpClient.Version.HTTP_1_1)
        .header("Content-Type", contentType)
        .method(
            method,
            body.isEmpty()
                ? java.net.http.HttpRequest.BodyPublishers.noBody()
                : java.net.http.HttpRequest.BodyPublishers.ofString(body))
        .build();
  }
}
