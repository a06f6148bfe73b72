package dev.mover.deploy.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The daemon with a real proxy and real repositories, over HTTP. */
class ProxyDaemonTest {
  private static final int MIB = 1 << 20;

  @TempDir private Path folder = Path.of("");

  private ProxyDaemon start(String more) {
    return ProxyDaemon.start(
        ProxyConfig.parse(
            "http: 127.0.0.1:0\nstateDir: %s\n%s".formatted(folder.resolve("state"), more),
            "test"));
  }

  private Path disk(String name, int bytes, int seed) throws IOException {
    byte[] content = new byte[bytes];
    new SplittableRandom(seed).nextBytes(content);
    return Files.write(folder.resolve(name), content);
  }

  private String order(String machine, List<Path> disks, String to, String more) {
    return "{\"machine\":\"%s\",\"to\":\"%s\",\"disks\":[%s]%s}"
        .formatted(
            machine,
            folder.resolve(to),
            disks.stream()
                .map(path -> "{\"path\":\"" + path + "\"}")
                .collect(Collectors.joining(",")),
            more);
  }

  private static String submit(HttpCaller caller, String order) {
    return caller.post("/v1/jobs", order).path("id").asText();
  }

  private static JsonNode end(HttpCaller caller, String id) {
    List<JsonNode> results = new ArrayList<>();
    caller.events(
        "/v1/jobs/" + id + "/events",
        (name, data) -> {
          if (name.equals("result")) {
            results.add(data);
          }
          return true;
        });
    assertThat(results).hasSize(1);
    return results.getFirst();
  }

  @Test
  void backsUpAndTellsAWatcherFromStateToResult() throws Exception {
    try (ProxyDaemon daemon = start("")) {
      HttpCaller caller = new HttpCaller(daemon.url());
      Path disk = disk("sda", 5 * MIB + 512, 1);
      String id = submit(caller, order("web", List.of(disk), "repo", ""));
      List<String> names = new ArrayList<>();
      List<Double> percents = new ArrayList<>();
      caller.events(
          "/v1/jobs/" + id + "/events",
          (name, data) -> {
            names.add(name);
            if (name.equals("progress")) {
              percents.add(data.path("percent").asDouble());
            } else if (name.equals("result")) {
              assertThat(data.path("state").asText()).isEqualTo("success");
              assertThat(data.path("result").path("sizeBytes").asLong()).isEqualTo(5 * MIB + 512);
            }
            return true;
          });
      assertThat(names).startsWith("state").endsWith("result").contains("progress");
      assertThat(percents).isSorted().last().isEqualTo(100.0);

      JsonNode again = end(caller, submit(caller, order("web", List.of(disk), "repo", "")));
      assertThat(again.path("result").path("point").asInt()).isEqualTo(2);
      assertThat(again.path("result").path("sentBytes").asLong()).isZero();
    }
  }

  @Test
  void runsTwentyDisksOverThreeSlots() throws Exception {
    List<Path> disks = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      disks.add(disk("disk" + i, 2 * MIB, i));
    }
    try (ProxyDaemon daemon = start("maxConcurrentTasks: 3")) {
      HttpCaller caller = new HttpCaller(daemon.url());
      List<String> jobs =
          IntStream.range(0, 4)
              .mapToObj(
                  m -> submit(caller, order("m" + m, disks.subList(5 * m, 5 * m + 5), "repo", "")))
              .toList();
      for (String id : jobs) {
        JsonNode job = end(caller, id);
        assertThat(job.path("state").asText()).as("%s", job).isEqualTo("success");
        assertThat(job.path("result").path("mostTasks").asInt()).isBetween(1, 3);
      }
      JsonNode one = end(caller, submit(caller, order("all", disks, "repo", "")));
      assertThat(one.path("result").path("mostTasks").asInt()).isEqualTo(3);
      JsonNode slow = end(caller, submit(caller, order("all", disks, "repo", ",\"slots\":1")));
      assertThat(slow.path("result").path("mostTasks").asInt()).isEqualTo(1);
    }
  }

  @Test
  void cancelsARunningBackupAndTheNextOneSendsOnlyTheRest() throws Exception {
    Path disk = disk("big", 64 * MIB, 7);
    try (ProxyDaemon daemon = start("workers: 1")) {
      HttpCaller caller = new HttpCaller(daemon.url());
      String order = order("web", List.of(disk), "repo", ",\"compression\":\"extreme\"");
      String id = submit(caller, order);
      List<String> states = new ArrayList<>();
      caller.events(
          "/v1/jobs/" + id + "/events",
          (name, data) -> {
            if (name.equals("progress") && data.path("phase").asText().equals("transfer")) {
              caller.delete("/v1/jobs/" + id);
            } else if (name.equals("result")) {
              states.add(data.path("state").asText());
              return false;
            }
            return states.isEmpty();
          });
      assertThat(states).containsExactly("cancelled");
      JsonNode job = caller.get("/v1/jobs/" + id);
      assertThat(job.path("error").path("name").asText()).isEqualTo("CANCELLED");
      assertThatThrownBy(() -> caller.delete("/v1/jobs/" + id))
          .isInstanceOfSatisfying(
              MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.JOB_ENDED));

      JsonNode next = end(caller, submit(caller, order));
      assertThat(next.path("state").asText()).as("%s", next).isEqualTo("success");
      assertThat(next.path("result").path("point").asInt()).isEqualTo(1);
    }
  }

  @Test
  void keepsTheLinkLimitThatIsSetWhileItRuns() throws Exception {
    Path disk = disk("sda", 8 * MIB, 5);
    try (ProxyDaemon daemon = start("")) {
      HttpCaller caller = new HttpCaller(daemon.url());
      caller.put("/v1/limits", "{\"linkMBps\":8}");
      JsonNode slow = end(caller, submit(caller, order("web", List.of(disk), "repo", "")));
      assertThat(slow.path("result").path("sentBytes").asLong()).isGreaterThan(8_000_000);
      assertThat(slow.path("result").path("transferMs").asLong()).isGreaterThan(500);
    }
  }

  @Test
  void knowsItsJobsAfterARestart() throws Exception {
    Path disk = disk("sda", MIB, 1);
    String good;
    String bad;
    try (ProxyDaemon daemon = start("")) {
      HttpCaller caller = new HttpCaller(daemon.url());
      good = submit(caller, order("web", List.of(disk), "repo", ""));
      end(caller, good);
      bad = submit(caller, order("web", List.of(folder.resolve("missing")), "repo2", ""));
      end(caller, bad);
    }
    assertThat(folder.resolve("repo2")).doesNotExist();
    try (ProxyDaemon daemon = start("")) {
      HttpCaller caller = new HttpCaller(daemon.url());
      assertThat(caller.get("/v1/jobs/" + good).path("result").path("point").asInt()).isEqualTo(1);
      assertThat(end(caller, bad).path("error").path("name").asText()).isEqualTo("SOURCE_MISSING");
      assertThat(caller.get("/v1/jobs").path("jobs")).hasSize(2);
    }
  }

  @Test
  void stopsWithinItsDeadlineAndLeavesThePartial() throws Exception {
    Path disk = disk("big", 64 * MIB, 9);
    ProxyDaemon daemon = start("workers: 1\nstopDeadlineSeconds: 0");
    String id;
    try {
      HttpCaller caller = new HttpCaller(daemon.url());
      id = submit(caller, order("web", List.of(disk), "repo", ",\"compression\":\"extreme\""));
      caller.events(
          "/v1/jobs/" + id + "/events",
          (name, data) -> !data.path("phase").asText().equals("transfer"));
    } finally {
      daemon.close();
    }
    try (ProxyDaemon next = start("")) {
      JsonNode job = new HttpCaller(next.url()).get("/v1/jobs/" + id);
      assertThat(job.path("state").asText()).isEqualTo("cancelled");
    }
  }

  @Test
  void sharesADirectoryAmongJobsAndWaitsForAnother() throws Exception {
    Path disk = disk("sda", 2 * MIB, 3);
    try (ProxyDaemon daemon = start("")) {
      HttpCaller caller = new HttpCaller(daemon.url());
      List<String> ids = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        ids.add(submit(caller, order("m" + i, List.of(disk), "repo" + i % 2, "")));
      }
      for (String id : ids) {
        JsonNode job = end(caller, id);
        assertThat(job.path("state").asText()).as("%s", job).isEqualTo("success");
      }
    }
  }

  @Test
  void leavesItsStateFolderFreeWhenItCantStart() {
    try (ProxyDaemon daemon = start("")) {
      int port = java.net.URI.create(daemon.url()).getPort();
      assertThatThrownBy(
              () ->
                  ProxyDaemon.start(
                      ProxyConfig.parse(
                          "http: 127.0.0.1:%d\nstateDir: %s"
                              .formatted(port, folder.resolve("other")),
                          "test")))
          .isInstanceOfSatisfying(
              MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PORT_IN_USE));
    }
    JobHistory.open(folder.resolve("other")).close();
  }
}
