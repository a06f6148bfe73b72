package dev.mover.deploy.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mover.api.error.ErrorCode;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProxyApiTest {
  private final ApiFixture api;

  ProxyApiTest(@TempDir Path folder) {
    api = new ApiFixture(folder, 2);
  }

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void takesAJobAndSaysWhereItIs() throws Exception {
    HttpResponse<String> reply =
        api.send(
            "POST",
            "/v1/jobs",
            """
            {"machine":"web","to":"mover://backup","blockSize":"256K","compression":"high","slots":2,
             "disks":[{"name":"root","path":"/dev/vda"},{"path":"/d/data.img"}]}
            """);
    JsonNode job = ApiFixture.json(reply);
    assertThat(reply.statusCode()).isEqualTo(201);
    assertThat(reply.headers().firstValue("location"))
        .contains("/v1/jobs/" + job.path("id").asText());
    assertThat(job.path("to").asText()).isEqualTo("mover://backup:7700");
    assertThat(job.path("disks").toString())
        .isEqualTo(
            "[{\"name\":\"root\",\"path\":\"/dev/vda\"},{\"name\":\"data.img\",\"path\":\"/d/data.img\"}]");
    assertThat(job.path("slots").asInt()).isEqualTo(2);
    api.runner.awaitRunning("web");
    assertThat(api.show(job.path("id").asText()).path("state").asText()).isEqualTo("running");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"machine\":\"m\",\"disk\":[]} | unknown field 'disk'; known are blockSize, compression",
        "{\"machine\":\"m\",\"machine\":\"n\"} | Duplicate field 'machine'",
        "[] | must be an object",
        "{ | is not JSON",
        "{} x | is not JSON",
        "{\"machine\":\"m\",\"to\":\"/b\"} | needs 'disks'",
        "{\"machine\":\"m\",\"to\":\"/b\",\"disks\":[]} | 1 to 256 disks",
        "{\"machine\":\"m\",\"to\":\"/b\",\"disks\":[{\"path\":\"a\"}]} | absolute path",
        "{\"machine\":\"m\",\"to\":\"/b\",\"disks\":[{\"path\":\"/\"}]} | not a disk image",
        "{\"machine\":\"m\",\"to\":\"/b\",\"disks\":[{\"path\":\"/a/x\"},{\"path\":\"/b/x\"}]} | two disks",
        "{\"machine\":\"m\",\"to\":\"b\",\"disks\":[{\"path\":\"/a\"}]} | absolute path",
        "{\"machine\":\"m\",\"to\":\"moover://b\",\"disks\":[{\"path\":\"/a\"}]} | write mover://host",
        "{\"machine\":\"\",\"to\":\"/b\",\"disks\":[{\"path\":\"/a\"}]} | needs 'machine'",
        "{\"machine\":\"m\",\"to\":\"/b\",\"disks\":[{\"path\":\"/a\"}],\"slots\":65} | 'slots' takes 1 to 64",
        "{\"machine\":\"m\",\"to\":\"/b\",\"disks\":[{\"path\":\"/a\"}],\"blockSize\":\"2M\"} | takes 256K",
        "{\"machine\":\"m\",\"to\":\"/b\",\"disks\":[{\"path\":\"/a\"}],\"compression\":\"x\"} | takes none",
      })
  void refusesAnOrderByNameAndSaysWhatIsRight(String body, String why) throws Exception {
    HttpResponse<String> reply = api.send("POST", "/v1/jobs", body);
    assertThat(reply.statusCode()).isEqualTo(400);
    assertThat(ApiFixture.json(reply).path("error").path("message").asText()).contains(why);
    assertThat(api.jobs.list()).isEmpty();
  }

  @Test
  void listsRunningThenQueuedThenEndedNewestFirstPageByPage() throws Exception {
    for (String machine : List.of("a", "b", "c", "d", "e", "f")) {
      api.submit(machine);
    }
    for (String machine : List.of("b", "a")) {
      api.runner.awaitRunning(machine);
      api.runner.succeed(machine);
      api.runner.awaitRunning(machine.equals("b") ? "c" : "d");
    }
    assertThat(machines("/v1/jobs")).containsExactly("c", "d", "e", "f", "a", "b");
    assertThat(machines("/v1/jobs?state=queued")).containsExactly("e", "f");
    assertThat(machines("/v1/jobs?state=success")).containsExactly("a", "b");

    List<String> paged = new ArrayList<>();
    String after = "";
    do {
      JsonNode page = ApiFixture.json(api.get("/v1/jobs?limit=2" + after));
      page.path("jobs").forEach(job -> paged.add(job.path("machine").asText()));
      after = page.has("next") ? "&after=" + page.path("next").asText() : "";
    } while (!after.isEmpty());
    assertThat(paged).containsExactly("c", "d", "e", "f", "a", "b");
  }

  private List<String> machines(String path) throws Exception {
    List<String> machines = new ArrayList<>();
    ApiFixture.json(api.get(path))
        .path("jobs")
        .forEach(job -> machines.add(job.path("machine").asText()));
    return machines;
  }

  @Test
  void refusesParametersThatMeanNothing() throws Exception {
    assertThat(api.get("/v1/jobs?limit=0").statusCode()).isEqualTo(400);
    assertThat(api.get("/v1/jobs?limit=many").statusCode()).isEqualTo(400);
    assertThat(api.get("/v1/jobs?state=done").body()).contains("there are queued, running");
    assertThat(api.get("/v1/jobs?after=nobody").statusCode()).isEqualTo(404);
  }

  @Test
  void showsQueuePositions() throws Exception {
    api.submit("a");
    api.submit("b");
    String c = api.submit("c");
    String d = api.submit("d");
    assertThat(api.show(c).path("queuePosition").asInt()).isEqualTo(1);
    assertThat(api.show(d).path("queuePosition").asInt()).isEqualTo(2);
    assertThat(api.show(c).path("queueReason").asText())
        .isEqualTo("waiting for one of 2 jobs to end");
    assertThat(api.show(api.submit("a")).path("queueReason").asText())
        .isEqualTo("waiting for another job of this machine to the same place");
  }

  @Test
  void cancelsQueuedJobsAtOnceAndRunningOnesSoon() throws Exception {
    String running = api.submit("a");
    api.submit("b");
    String queued = api.submit("c");
    api.runner.awaitRunning("a");

    HttpResponse<String> reply = api.send("DELETE", "/v1/jobs/" + queued, "");
    assertThat(reply.statusCode()).isEqualTo(202);
    assertThat(ApiFixture.json(reply).path("state").asText()).isEqualTo("cancelled");
    assertThat(api.send("DELETE", "/v1/jobs/" + running, "").statusCode()).isEqualTo(202);
    assertThat(api.events(running).getLast()).contains("\"state\":\"cancelled\"");
    assertThat(api.runner.started()).containsExactlyInAnyOrder("a", "b");

    HttpResponse<String> again = api.send("DELETE", "/v1/jobs/" + running, "");
    assertThat(again.statusCode()).isEqualTo(409);
    assertThat(again.body()).contains("JOB_ENDED", "is cancelled already");
  }

  @Test
  void knowsNoJobItDidNotTake() throws Exception {
    for (String path : List.of("/v1/jobs/x", "/v1/jobs/x/events")) {
      HttpResponse<String> reply = api.get(path);
      assertThat(reply.statusCode()).isEqualTo(404);
      assertThat(reply.body()).contains("NO_SUCH_JOB");
    }
    assertThat(api.send("DELETE", "/v1/jobs/x", "").statusCode()).isEqualTo(404);
  }

  @Test
  void tellsWatchersStateProgressAndResult() throws Exception {
    String id = api.submit("a");
    api.runner.awaitRunning("a");
    List<String> events = new ArrayList<>();
    new HttpCaller(api.url())
        .events(
            "/v1/jobs/" + id + "/events",
            (name, data) -> {
              events.add(name);
              if (events.size() == 1) {
                assertThat(data.path("state").asText()).isEqualTo("running");
                api.runner.progress("a", 50);
              } else if (name.equals("progress")) {
                assertThat(data.path("percent").asDouble()).isEqualTo(50);
                assertThat(data.path("load").path("bottleneck").asText()).isEqualTo("proxy");
                api.runner.warn("a");
              } else if (name.equals("result")) {
                assertThat(data.path("state").asText()).isEqualTo("warning");
                assertThat(data.path("result").path("point").asInt()).isEqualTo(7);
              }
              return true;
            });
    assertThat(events).startsWith("state", "progress").endsWith("result");
    assertThat(api.events(id)).hasSize(2).last().asString().startsWith("result");
  }

  @Test
  void changesLimitsWhileItRuns() throws Exception {
    api.submit("a");
    api.submit("b");
    api.submit("c");
    api.runner.awaitRunning("b");
    HttpResponse<String> reply =
        api.send("PUT", "/v1/limits", "{\"maxConcurrentJobs\":3,\"linkMBps\":50}");
    assertThat(reply.body())
        .isEqualTo("{\"maxConcurrentTasks\":4,\"maxConcurrentJobs\":3,\"linkMBps\":50}");
    api.runner.awaitRunning("c");
    assertThat(api.get("/v1/limits").body()).isEqualTo(reply.body());

    HttpResponse<String> tooMany = api.send("PUT", "/v1/limits", "{\"maxConcurrentTasks\":9}");
    assertThat(tooMany.statusCode()).isEqualTo(400);
    assertThat(tooMany.body()).contains("'maxConcurrentTasks' takes 1 to 8");
    assertThat(api.get("/v1/limits").body()).isEqualTo(reply.body());
  }

  @Test
  void saysHowItIsAndWhetherItTakesJobs() throws Exception {
    api.submit("a");
    api.runner.awaitRunning("a");
    api.runner.fail("a", ErrorCode.REPOSITORY_FULL);
    String b = api.submit("b");
    api.runner.awaitRunning("b");
    api.runner.succeed("b");
    api.events(b);
    JsonNode health = ApiFixture.json(api.get("/health"));
    assertThat(health.path("status").asText()).isEqualTo("success");
    assertThat(health.path("endedJobs").asInt()).isEqualTo(2);
    assertThat(api.get("/metrics").body())
        .contains(
            "mover_proxy_jobs_ended_total{state=\"success\"} 1.0",
            "mover_proxy_jobs_ended_total{state=\"failed\"} 1.0",
            "mover_proxy_read_bytes_total 524288.0",
            "mover_proxy_stage_busy_seconds_total{stage=\"proxy\"} 2.0",
            "mover_proxy_jobs_running 0.0",
            "mover_proxy_tasks_limit 4.0",
            "mover_proxy_block_memory_bytes 12.0",
            "jvm_memory_used_bytes");

    assertThat(api.get("/ready").statusCode()).isEqualTo(200);
    api.jobs.stop(java.time.Duration.ZERO);
    assertThat(api.get("/ready").statusCode()).isEqualTo(503);
    HttpResponse<String> late = api.send("POST", "/v1/jobs", ApiFixture.order("late"));
    assertThat(late.statusCode()).isEqualTo(503);
    assertThat(late.body()).contains("SHUTTING_DOWN");
  }
}
