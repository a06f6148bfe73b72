package dev.mover.deploy.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.mover.api.block.BlockSize;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.point.Name;
import dev.mover.dedup.codec.Compression;
import dev.mover.proxy.BackupRequest;
import dev.mover.proxy.LinkRule;
import dev.mover.proxy.Progress;
import dev.mover.proxy.Proxy;
import dev.mover.proxy.ProxyOptions;
import dev.mover.proxy.source.DirectSource;
import dev.mover.testkit.Background;
import dev.mover.transport.link.RepositoryAddress;
import dev.mover.transport.netty.NettyConnector;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The repository's API over real HTTP, with a real repository and real proxies behind it. */
@Timeout(60)
class RepositoryDaemonTest {
  private static final int BYTES = 3 << 20;

  @TempDir private Path folder = Path.of("");
  private final HttpClient client = HttpClient.newHttpClient();
  private final Proxy proxy = new Proxy(new ProxyOptions(8, 2));

  @AfterEach
  void close() {
    proxy.close();
    client.close();
  }

  private RepositoryDaemon start(String more) {
    return RepositoryDaemon.start(
        RepositoryConfig.parse(
            "path: %s\nlisten: 127.0.0.1:0\nhttp: 127.0.0.1:0\n%s"
                .formatted(folder.resolve("repository"), more),
            "test"));
  }

  private HttpResponse<String> send(
      RepositoryDaemon daemon, String method, String path, String body) {
    try {
      return client.send(
          HttpRequest.newBuilder(URI.create(daemon.url() + path))
              .version(HttpClient.Version.HTTP_1_1)
              .header("Content-Type", "application/json")
              .timeout(Duration.ofSeconds(30))
              .method(method, HttpRequest.BodyPublishers.ofString(body))
              .build(),
          HttpResponse.BodyHandlers.ofString());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private JsonNode get(RepositoryDaemon daemon, String path) {
    return json(send(daemon, "GET", path, ""));
  }

  private static JsonNode json(HttpResponse<String> reply) {
    try {
      return new JsonMapper().readTree(reply.body());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private void backup(RepositoryDaemon daemon, String machine, int disks, Progress.Listener seen) {
    List<dev.mover.api.source.DiskSource> sources = new ArrayList<>();
    for (int i = 0; i < disks; i++) {
      sources.add(DirectSource.open(new Name("d" + i), disk(machine, i)));
    }
    RepositoryAddress address = RepositoryAddress.parse(daemon.address());
    try (NettyConnector connector = new NettyConnector(address.host(), address.port())) {
      proxy.backup(
          new BackupRequest(new Name(machine), sources, BlockSize.KIB_256, Compression.OPTIMAL),
          connector,
          seen);
    }
  }

  private Path disk(String machine, int number) {
    byte[] content = new byte[BYTES];
    new SplittableRandom(machine.hashCode() * 31L + number).nextBytes(content);
    try {
      return Files.write(folder.resolve(Integer.toHexString(machine.hashCode()) + number), content);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static Runnable once(CountDownLatch latch) {
    return latch::countDown;
  }

  @Test
  void everyReplyIsAsItsDocumentSays() throws IOException {
    ApiDocument document = new ApiDocument(RepositoryApi.openApi());
    try (RepositoryDaemon daemon = start("maxConcurrentTasks: 1")) {
      backup(daemon, "web", 2, Progress.Listener.NONE);
      backup(daemon, "db", 1, Progress.Listener.NONE);
      proxy.limitLinks(List.of(LinkRule.always("*", 1)));
      CountDownLatch began = new CountDownLatch(1);
      CompletableFuture<Void> running =
          Background.run(
              () ->
                  backup(
                      daemon,
                      "slow",
                      2,
                      p -> {
                        if (p.tasks() > 0) {
                          once(began).run();
                        }
                      }));
      await(began);
      document.check("SessionList", get(daemon, "/v1/sessions"));
      document.check("PartialPage", get(daemon, "/v1/partials?limit=1"));
      assertThat(get(daemon, "/v1/partials").path("partials").get(0).path("use").asText())
          .isEqualTo("session");
      assertThat(send(daemon, "DELETE", "/v1/partials/slow", "").statusCode()).isEqualTo(409);
      proxy.limitLinks(List.of());
      running.join();

      document.check("ExtentList", get(daemon, "/v1/extents"));
      document.check("PointPage", get(daemon, "/v1/points?limit=1"));
      Files.write(partial("web", 7), new byte[5000]);
      Files.write(partial("web", 8), new byte[5000]);
      document.check("PartialPage", get(daemon, "/v1/partials?machine=web&limit=1"));
      JsonNode removed = json(send(daemon, "DELETE", "/v1/partials/web", ""));
      document.check("PartialPage", removed);
      assertThat(removed.path("partials")).hasSize(2);
      assertThat(get(daemon, "/v1/partials").path("partials")).isEmpty();
      document.check("Limits", get(daemon, "/v1/limits"));
      document.check("Limits", json(send(daemon, "PUT", "/v1/limits", "{}")));
      document.check("Scrub", get(daemon, "/v1/scrub"));
      document.check("Scrub", json(send(daemon, "PUT", "/v1/scrub", "{}")));
      document.check("Health", get(daemon, "/health"));
      document.check("Ready", get(daemon, "/ready"));
      document.check("ErrorReply", get(daemon, "/v1/points?limit=0"));
      document.check("ErrorReply", get(daemon, "/nowhere"));
      assertThat(get(daemon, "/openapi.json")).isEqualTo(document.root());
    }
    document.assertAllSeen("LimitsOrder", "ScrubOrder");
    assertThat(document.properties("LimitsOrder")).isEqualTo(RepositoryJson.LIMITS);
    RepositoryState none = new RepositoryState(Path.of("none"));
    assertThat(document.routes())
        .containsExactlyInAnyOrderElementsOf(
            new RepositoryApi(none, new RepositoryMetrics()).routes().list());
  }

  /** Where a session that was cut off would have left one. */
  private Path partial(String machine, int sequence) {
    return folder.resolve(
        "repository/machines/%s/%010d-%s.partial".formatted(machine, sequence, UUID.randomUUID()));
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void tellsOfSessionsWhileTheyRun() {
    try (RepositoryDaemon daemon = start("maxConcurrentTasks: 1\nextentWriteMBps: 2")) {
      List<JsonNode> seen = new ArrayList<>();
      backup(
          daemon,
          "web",
          2,
          p -> {
            if (p.sentBytes() > 0 && seen.isEmpty()) {
              get(daemon, "/v1/sessions").path("sessions").forEach(seen::add);
            }
          });
      JsonNode session = seen.getFirst();
      assertThat(session.path("machine").asText()).isEqualTo("web");
      assertThat(session.path("disks").toString()).isEqualTo("[\"d0\",\"d1\"]");
      assertThat(session.path("state").asText()).isEqualTo("streaming");
      assertThat(session.path("peer").asText()).contains("127.0.0.1");
      assertThat(get(daemon, "/health").path("mostTasks").asInt()).isEqualTo(1);
    }
  }

  @Test
  void listsPointsPageByPage() {
    try (RepositoryDaemon daemon = start("")) {
      for (String machine : List.of("a", "b/ü 🙂", "a", "c")) {
        backup(daemon, machine, 1, Progress.Listener.NONE);
      }
      List<String> listed = new ArrayList<>();
      String after = "";
      do {
        JsonNode page = get(daemon, "/v1/points?limit=1" + after);
        page.path("points")
            .forEach(p -> listed.add(p.path("machine").asText() + " " + p.path("point").asLong()));
        after = page.has("next") ? "&after=" + encoded(page.path("next").asText()) : "";
      } while (!after.isEmpty());
      assertThat(listed).containsExactly("a 1", "a 2", "b/ü 🙂 1", "c 1");
      assertThat(get(daemon, "/v1/points?machine=" + encoded("b/ü 🙂")).path("points")).hasSize(1);
      assertThat(get(daemon, "/v1/points?machine=none").path("points")).isEmpty();
      for (String wrong : List.of("limit=201", "limit=x", "after=x", "after=1:", "machine=%0a")) {
        assertThat(send(daemon, "GET", "/v1/points?" + wrong, "").statusCode())
            .as(wrong)
            .isEqualTo(400);
      }
    }
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  @Test
  void changesLimitsWhileItRuns() {
    try (RepositoryDaemon daemon = start("")) {
      HttpResponse<String> reply =
          send(daemon, "PUT", "/v1/limits", "{\"maxConcurrentTasks\":64,\"extentReadMBps\":7}");
      assertThat(reply.body())
          .isEqualTo(
              "{\"maxConcurrentTasks\":64,\"extentMaxConcurrentTasks\":0,\"extentWriteMBps\":0,\"extentReadMBps\":7}");
      assertThat(get(daemon, "/v1/limits")).isEqualTo(json(reply));
      assertThat(get(daemon, "/v1/extents").path("extents").get(0).path("extentReadMBps").asInt())
          .isEqualTo(7);
      for (String wrong :
          List.of(
              "{\"maxConcurrentTasks\":65}",
              "{\"extentWriteMBps\":-1}",
              "{\"extentReadMBps\":\"1\"}",
              "{\"writeMBps\":1}",
              "[]",
              "")) {
        assertThat(send(daemon, "PUT", "/v1/limits", wrong).statusCode()).as(wrong).isEqualTo(400);
      }
      assertThat(get(daemon, "/v1/limits")).isEqualTo(json(reply));
    }
  }

  @Test
  void changesTheScrubWhileItRuns() {
    try (RepositoryDaemon daemon = start("")) {
      JsonNode reply = json(send(daemon, "PUT", "/v1/scrub", "{\"scrubMBps\":7}"));
      assertThat(reply.path("bytesPerSec").asLong()).isEqualTo(7_000_000);
      assertThat(reply.path("intervalSeconds").asLong()).isEqualTo(30 * 86_400);
      send(daemon, "PUT", "/v1/scrub", "{\"scrubIntervalDays\":0}");
      JsonNode now = get(daemon, "/v1/scrub");
      assertThat(now.path("state").asText()).isEqualTo("off");
      assertThat(now.path("bytesPerSec").asLong()).isEqualTo(7_000_000);
      for (String wrong :
          List.of(
              "{\"scrubMBps\":0}",
              "{\"scrubIntervalDays\":3651}",
              "{\"intervalDays\":1}",
              "[]",
              "")) {
        assertThat(send(daemon, "PUT", "/v1/scrub", wrong).statusCode()).as(wrong).isEqualTo(400);
      }
      assertThat(get(daemon, "/v1/scrub")).isEqualTo(now);
    }
  }

  @Test
  void countsForPrometheus() {
    try (RepositoryDaemon daemon = start("")) {
      backup(daemon, "web", 1, Progress.Listener.NONE);
      assertThat(send(daemon, "GET", "/metrics", "").body())
          .contains(
              "mover_repository_sessions 0.0",
              "mover_repository_task_slots_in_use 0.0",
              "mover_repository_task_slots_queued 0.0",
              "mover_repository_task_slots_limit 4.0",
              "mover_repository_points 1.0",
              "mover_repository_extent_capacity_bytes ",
              "mover_repository_extent_free_bytes ",
              "mover_repository_received_bytes_total " + (double) BYTES,
              // 12 blocks of 256 KiB, each with its header and 3968 bytes of padding
              "mover_repository_stored_bytes_total " + (BYTES + 12 * 4096.0),
              "mover_repository_linked_bytes_total 0.0",
              "mover_repository_served_bytes_total 0.0",
              "mover_repository_commit_seconds_count 1",
              "mover_repository_commit_seconds_sum ",
              "mover_repository_checkpoint_seconds_count ",
              "mover_repository_errors_total{code=\"REPOSITORY_FULL\"} 0.0",
              "mover_repository_buffers_leased_bytes{pool=\"receive\"} ",
              "jvm_memory_used_bytes",
              "jvm_threads_live_threads");
    }
  }

  @Test
  void whoTakesItForAProxyIsToldSo() {
    try (RepositoryDaemon daemon = start("maxConcurrentTasks: 1")) {
      String links = daemon.address().replace("mover://", "http://");
      for (String url : List.of(daemon.url(), links)) {
        assertThatThrownBy(() -> new HttpCaller(url).get("/v1/jobs"))
            .isInstanceOfSatisfying(
                MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_A_MOVER))
            .hasMessageContaining("7702");
      }
    }
  }

  @Test
  void aStopLetsSessionsFinishAndSaysSoMeanwhile() {
    List<Integer> ready = new ArrayList<>();
    RepositoryDaemon daemon = start("extentWriteMBps: 1");
    CountDownLatch began = new CountDownLatch(1);
    CompletableFuture<Void> running =
        Background.run(
            () ->
                backup(
                    daemon,
                    "web",
                    3,
                    p -> {
                      if (p.sentBytes() > 0) {
                        began.countDown();
                      }
                    }));
    await(began);
    assertThat(send(daemon, "GET", "/ready", "").statusCode()).isEqualTo(200);
    CompletableFuture<Void> stopping = Background.run(daemon::close);
    while (!get(daemon, "/health").path("stopping").asBoolean()) {
      Thread.onSpinWait();
    }
    ready.add(send(daemon, "GET", "/ready", "").statusCode());
    assertThatThrownBy(() -> backup(daemon, "late", 1, Progress.Listener.NONE))
        .isInstanceOfSatisfying(
            MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SHUTTING_DOWN));
    assertThat(running).isNotDone();
    assertThat(send(daemon, "PUT", "/v1/limits", "{\"extentWriteMBps\":0}").statusCode())
        .isEqualTo(200);
    running.join();
    stopping.join();
    assertThat(ready).containsExactly(503);
  }

  @Test
  void aSessionThatIsNotDoneAtTheDeadlineIsToldWhy() {
    RepositoryDaemon daemon = start("extentWriteMBps: 1\nstopDeadlineSeconds: 0");
    CountDownLatch began = new CountDownLatch(1);
    CompletableFuture<Void> running =
        Background.run(
            () ->
                backup(
                    daemon,
                    "web",
                    4,
                    p -> {
                      if (p.sentBytes() > 0) {
                        began.countDown();
                      }
                    }));
    await(began);
    daemon.close();
    assertThatThrownBy(running::join)
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOfSatisfying(
            MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SHUTTING_DOWN));
  }

  @Test
  void saysThatItIsStarting() {
    RepositoryState state = new RepositoryState(Path.of("/b"));
    assertThat(state.isReady()).isFalse();
    assertThatThrownBy(state::repository)
        .hasMessageContaining("/b: the repository is being opened");
  }
}
