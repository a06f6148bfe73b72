package dev.mover.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mover.testkit.Background;
import dev.mover.testkit.DiskImages;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Slots and rates of real processes. */
class SlotsIT {
  private static final int DISKS = 20;

  @TempDir private Path folder = Path.of("");

  private String[] backup(String machine, String to, int disks, String... more) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("backup"));
    for (int i = 0; i < disks; i++) {
      Path disk = folder.resolve(machine + "-" + i + ".img");
      DiskImages.create(disk, 4 << 20, machine.hashCode() + i);
      arguments.add(disk.toString());
    }
    arguments.addAll(List.of("--machine", machine, "--to", to));
    arguments.addAll(List.of(more));
    return arguments.toArray(String[]::new);
  }

  @Test
  void twentyDisksNeverTakeMoreThanTheRepositorysThreeSlots() throws IOException {
    try (Daemon daemon = Daemon.start(folder.resolve("repository"), 3)) {
      String[] large = backup("large", daemon.address(), DISKS, "--slots", "20");
      String[] small = backup("small", daemon.address(), 1);
      CompletableFuture<Mover.Result> running = Background.supply(() -> Mover.json(large));
      CompletableFuture<Mover.Result> other = Background.supply(() -> Mover.json(small));
      while (!running.isDone()) {
        JsonNode health = daemon.health();
        assertThat(health.path("runningTasks").asInt()).isLessThanOrEqualTo(3);
        assertThat(health.path("maxConcurrentTasks").asInt()).isEqualTo(3);
      }
      assertThat(running.join().ok().json().path("mostTasks").asInt()).isLessThanOrEqualTo(3);
      other.join().ok();
      assertThat(daemon.health().path("mostTasks").asInt()).isEqualTo(3);
    }
  }

  @Test
  void twentyDisksNeverTakeMoreThanTheProxysThreeSlots() throws IOException {
    try (Daemon daemon = Daemon.start(folder.resolve("repository"), 20)) {
      Mover.Result result =
          Mover.json(backup("large", daemon.address(), DISKS, "--slots", "3")).ok();
      assertThat(result.json().path("mostTasks").asInt()).isBetween(1, 3);
      assertThat(daemon.health().path("mostTasks").asInt()).isLessThanOrEqualTo(3);
    }
  }

  @Test
  void theCommandLineSaysWhatLimitsARun() throws IOException {
    try (Daemon daemon = Daemon.start(folder.resolve("repository"), 2)) {
      Mover.Result result =
          Mover.json(backup("web", daemon.address(), 2, "--compression", "none", "--limit", "4"))
              .ok();
      assertThat(result.json().path("load").path("bottleneck").asText()).isEqualTo("network");
      assertThat(result.json().path("load").path("network").asInt()).isGreaterThan(60);

      daemon.limit("{\"extentWriteMBps\":4}");
      Mover.Result text =
          Mover.run(backup("db", daemon.address(), 2, "--compression", "none")).ok();
      assertThat(text.out())
          .containsPattern("load: source \\d+ % > proxy \\d+ % > network \\d+ % > target \\d+ %")
          .contains("bottleneck target")
          .containsPattern("next limit: .* at about \\d+ MB/s");
    }
  }

  @Test
  void aDaemonThatIsStoppedLetsABackupFinish() throws Exception {
    try (Daemon daemon = Daemon.start(folder.resolve("repository"), 2)) {
      daemon.limit("{\"extentWriteMBps\":4}");
      String[] arguments = backup("web", daemon.address(), 2, "--compression", "none");
      CompletableFuture<Mover.Result> running = Background.supply(() -> Mover.json(arguments));
      while (daemon.health().path("runningTasks").asInt() == 0) {
        assertThat(running).isNotDone();
      }
      assertThat(daemon.stop()).isZero();
      assertThat(running.join().ok().json().path("point").asInt()).isEqualTo(1);
    }
  }
}
