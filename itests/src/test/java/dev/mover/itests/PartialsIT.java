package dev.mover.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mover.testkit.DiskImages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a killed backup left is listed and removed by real processes, and nothing misses it. */
class PartialsIT {
  private static final long BYTES = 64L << 20;

  @TempDir private Path folder = Path.of("");

  @Test
  void isListedBesideADaemonAndWithoutAndRemovedThroughIt() throws Exception {
    try (Place.Room room = Place.XFS.open()) {
      Path disk = folder.resolve("disk.img");
      DiskImages.create(disk, BYTES, 1);
      String directory = room.repository().toString();
      leavePartial(room.repository(), disk);
      long before = room.usedBytes();

      JsonNode listed = list(directory).getFirst();
      assertThat(listed.path("machine").asText()).isEqualTo("web");
      assertThat(listed.path("use").asText()).isEqualTo("unknown");
      try (Daemon daemon = Daemon.start(room.repository(), 2)) {
        assertThat(list(daemon.address()).getFirst().path("use").asText()).isEqualTo("free");
        String at = daemon.address();
        List<JsonNode> gone =
            Mover.json("partials", "--remove", "web", "--from", at).ok().jsonLines();
        assertThat(gone).hasSize(1);
        long bytes = gone.getFirst().path("occupiedBytes").asLong();
        assertThat(before - room.usedBytes()).isGreaterThan(bytes / 2);
        assertThat(Mover.run("partials", "--from", at).ok().out()).isEqualTo("no partials\n");
        Mover.run("backup", disk.toString(), "--machine", "web", "--to", at).ok();
      }
      Path target = folder.resolve("restored");
      Mover.run("restore", "--machine", "web", "--from", directory, target.toString()).ok();
      assertThat(Files.mismatch(target, disk)).isEqualTo(-1);
    }
  }

  /** A proxy that is told to stop tells the repository, which waits for nobody then. */
  @Test
  void whatAStoppedBackupSentIsFreeAtOnceAndNotSentAgain() throws Exception {
    Path disk = folder.resolve("disk.img");
    Files.write(disk, DiskImages.bytes((int) BYTES, 1));
    Path repository = folder.resolve("repository");
    try (Daemon daemon = Daemon.start(repository, 1)) {
      Process proxy = slowBackup(daemon, disk);
      awaitPartial(repository);
      proxy.destroy();
      assertThat(proxy.waitFor(20, TimeUnit.SECONDS)).isTrue();
      assertThat(list(daemon.address()).getFirst().path("use").asText()).isEqualTo("free");
      JsonNode next =
          Mover.json("backup", disk.toString(), "--machine", "web", "--to", daemon.address())
              .ok()
              .json();
      assertThat(next.path("knownBytes").asLong()).isGreaterThan(2 << 20);
    }
  }

  /** Kills proxy and daemon once some of the disk has been stored. */
  private static void leavePartial(Path repository, Path disk) throws Exception {
    Daemon daemon = Daemon.start(repository, 2);
    Process proxy = slowBackup(daemon, disk);
    awaitPartial(repository);
    daemon.kill();
    proxy.destroyForcibly().onExit().join();
    assertThat(partialBytes(repository)).isGreaterThan(3 << 20);
  }

  private static Process slowBackup(Daemon daemon, Path disk) throws IOException {
    return Mover.command(
            "backup", disk.toString(), "--machine", "web", "--to", daemon.address(), "--limit", "4")
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private static void awaitPartial(Path repository) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (partialBytes(repository) < 3 << 20 && System.nanoTime() < deadline) {
      Thread.onSpinWait();
    }
  }

  private static long partialBytes(Path repository) throws IOException {
    Path folder = repository.resolve("machines").resolve("web");
    if (Files.notExists(folder)) {
      return 0;
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.toString().endsWith(".partial"))
          .mapToLong(file -> file.toFile().length())
          .sum();
    }
  }

  private static List<JsonNode> list(String from) {
    return Mover.json("partials", "--from", from).ok().jsonLines();
  }
}
