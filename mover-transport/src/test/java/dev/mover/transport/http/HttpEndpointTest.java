package dev.mover.transport.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HttpEndpointTest {
  private final CountDownLatch gate = new CountDownLatch(1);
  private final HttpClient client = HttpClient.newHttpClient();
  private final HttpEndpoint endpoint =
      HttpEndpoint.bind(
          "127.0.0.1",
          0,
          Map.of(
              "/health", () -> HttpReply.json(200, "{\"status\":\"success\",\"é\":1}"),
              "/slow", this::slow,
              "/broken",
                  () -> {
                    throw new IllegalStateException("out of order");
                  }));

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
    assertThat(ask("GET", "/nothing").statusCode()).isEqualTo(404);
    assertThat(ask("GET", "/health/").statusCode()).isEqualTo(404);
    assertThat(ask("POST", "/health").statusCode()).isEqualTo(405);
    assertThat(ask("DELETE", "/nothing").statusCode()).isEqualTo(405);
  }

  @Test
  void saysThatAHandlerFailed() throws Exception {
    HttpResponse<String> reply = ask("GET", "/broken");
    assertThat(reply.statusCode()).isEqualTo(500);
    assertThat(reply.body()).contains("out of order");
  }

  @Test
  void shedsLoadWhenItsHandlersAreBusy() {
    List<CompletableFuture<Integer>> statuses = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      HttpRequest request = request("GET", "/slow");
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
    assertThatThrownBy(() -> HttpEndpoint.bind("127.0.0.1", endpoint.address().getPort(), Map.of()))
        .isInstanceOfSatisfying(
            MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PORT_IN_USE));
    assertThatThrownBy(() -> HttpEndpoint.bind("192.0.2.1", 0, Map.of()))
        .isInstanceOfSatisfying(
            MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_ADDRESS));
  }

  private HttpResponse<String> ask(String method, String path)
      throws IOException, InterruptedException {
    return client.send(request(method, path), HttpResponse.BodyHandlers.ofString());
  }

  private HttpRequest request(String method, String path) {
    return HttpRequest.newBuilder()
        .uri(URI.create("http://127.0.0.1:" + endpoint.address().getPort() + path))
        .version(HttpClient.Version.HTTP_1_1)
        .method(method, HttpRequest.BodyPublishers.noBody())
        .build();
  }
}
