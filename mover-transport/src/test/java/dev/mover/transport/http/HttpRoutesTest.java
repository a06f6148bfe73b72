package dev.mover.transport.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class HttpRoutesTest {
  private static final HttpHandler HANDLER = _ -> HttpReply.text(200, "");
  private static final HttpHandler OTHER = _ -> HttpReply.text(201, "");

  private final HttpRoutes routes =
      HttpRoutes.none()
          .get("/v1/jobs", HANDLER)
          .post("/v1/jobs", OTHER)
          .get("/v1/jobs/{id}", HANDLER)
          .get("/v1/jobs/{id}/events", OTHER)
          .delete("/v1/jobs/{id}", OTHER);

  @Test
  void findsWhoAnswersByMethodAndPath() {
    assertThat(routes.match("GET", "/v1/jobs").handler()).isSameAs(HANDLER);
    assertThat(routes.match("POST", "/v1/jobs").handler()).isSameAs(OTHER);
    assertThat(routes.match("DELETE", "/v1/jobs/a").handler()).isSameAs(OTHER);
    assertThat(routes.match("GET", "/v1/jobs/a%20b").variables()).containsEntry("id", "a%20b");
    assertThat(routes.match("GET", "/v1/jobs/a/events").variables()).containsEntry("id", "a");
  }

  @Test
  void refusesPathsThatNoTemplateFits() {
    for (String path : new String[] {"/", "/v1", "/v1/jobs/", "/v1/jobs//events", "/v1/jobs/a/b"}) {
      assertThatThrownBy(() -> routes.match("GET", path))
          .isInstanceOfSatisfying(
              HttpRefusal.class, e -> assertThat(e.reply().status()).isEqualTo(404));
    }
  }

  @Test
  void saysWhatAPathAnswers() {
    assertThatThrownBy(() -> routes.match("PUT", "/v1/jobs/a"))
        .isInstanceOfSatisfying(
            HttpRefusal.class,
            e -> {
              assertThat(e.reply().status()).isEqualTo(405);
              assertThat(e.reply().headers()).containsEntry("Allow", "DELETE, GET, HEAD");
            });
  }

  @Test
  void listsItsRoutesAndTakesEachOnce() {
    assertThat(routes.list())
        .containsExactly(
            "GET /v1/jobs",
            "POST /v1/jobs",
            "GET /v1/jobs/{id}",
            "GET /v1/jobs/{id}/events",
            "DELETE /v1/jobs/{id}");
    assertThatThrownBy(() -> routes.get("/v1/jobs", OTHER))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> routes.get("jobs", OTHER))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
