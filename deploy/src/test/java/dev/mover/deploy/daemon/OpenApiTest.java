package dev.mover.deploy.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.error.ErrorCode;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The document and what is served are the same, in both directions. */
class OpenApiTest {
  private final ApiDocument document = new ApiDocument(ProxyApi.openApi());

  @Test
  void describesExactlyTheRoutesThatAreServed(@TempDir Path folder) {
    try (ApiFixture api = new ApiFixture(folder, 1)) {
      assertThat(document.routes()).containsExactlyInAnyOrderElementsOf(api.routes.list());
    }
  }

  @Test
  void describesExactlyTheFieldsThatAreTaken() {
    assertThat(document.properties("JobOrder")).isEqualTo(JobOrder.FIELDS);
    assertThat(document.properties("DiskOrder")).isEqualTo(JobOrder.DISK_FIELDS);
    assertThat(document.properties("LimitsOrder")).isEqualTo(Limits.FIELDS);
  }

  @Test
  void describesExactlyTheFieldsThatAreServed(@TempDir Path folder) throws Exception {
    try (ApiFixture api = new ApiFixture(folder, 3)) {
      run(api);
    }
    document.assertAllSeen("JobOrder", "DiskOrder", "LimitsOrder");
  }

  /** Brings every kind of reply about, and checks each. */
  private void run(ApiFixture api) throws Exception {
    String order =
        ApiFixture.order("warns")
            .replace("}", ",\"slots\":1,\"raw\":true}")
            .replace("sda\",\"slots\":1,\"raw\":true", "sda\"");
    HttpResponse<String> posted = api.send("POST", "/v1/jobs", order);
    String warns = ApiFixture.json(posted).path("id").asText();
    check("Job", posted);
    String fails = api.submit("fails");
    api.submit("runs");
    String waits = api.submit("waits");
    for (String machine : List.of("warns", "fails", "runs")) {
      api.runner.awaitRunning(machine);
      api.runner.progress(machine, 10);
    }
    check("Job", api.get("/v1/jobs/" + warns)); // with progress
    check("Job", api.get("/v1/jobs/" + waits)); // with its position
    check("JobPage", api.get("/v1/jobs?limit=1")); // with a next
    check("JobPage", api.get("/v1/jobs"));
    watch(api, fails, () -> api.runner.fail("fails", ErrorCode.REPOSITORY_FULL));
    watch(api, warns, () -> api.runner.warn("warns"));
    check("Job", api.get("/v1/jobs/" + warns));
    check("JobPage", api.get("/v1/jobs"));
    check("Job", api.send("DELETE", "/v1/jobs/" + waits, ""));
    check("Limits", api.get("/v1/limits"));
    check("Limits", api.send("PUT", "/v1/limits", "{\"maxConcurrentTasks\":2}"));
    check("Health", api.get("/health"));
    check("Ready", api.get("/ready"));
    check("ErrorReply", api.get("/v1/jobs/none"));
    check("ErrorReply", api.get("/nowhere"));
    assertThat(ApiFixture.json(api.get("/openapi.json"))).isEqualTo(document.root());
  }

  private void watch(ApiFixture api, String id, Runnable first) {
    List<String> names = new ArrayList<>();
    new HttpCaller(api.url())
        .events(
            "/v1/jobs/" + id + "/events",
            (name, data) -> {
              names.add(name);
              if (names.size() == 2) {
                first.run(); // state and progress are there
              }
              document.check(
                  switch (name) {
                    case "state" -> "StateEvent";
                    case "progress" -> "ProgressEvent";
                    case "result" -> "Job";
                    default -> throw new AssertionError("an event " + name);
                  },
                  data);
              return true;
            });
    assertThat(names).contains("state", "progress", "result");
  }

  private void check(String schema, HttpResponse<String> reply) throws java.io.IOException {
    document.check(schema, ApiFixture.json(reply));
  }
}
