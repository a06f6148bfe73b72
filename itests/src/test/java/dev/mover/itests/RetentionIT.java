package dev.mover.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mover.testkit.DiskImages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Points are deleted by real processes, one of which is killed meanwhile; all others come back. */
class RetentionIT {
  private static final long BYTES = 48L << 20;

  @TempDir private Path folder = Path.of("");
  private final List<Path> states = new ArrayList<>();

  @ParameterizedTest
  @EnumSource(
      value = Place.class,
      names = {"XFS", "EXT4"}) // RemovalTest measures Btrfs as well
  void deletedSpaceComesBackAndTheOtherPointsStayWhole(Place place) throws Exception {
    try (Place.Room room = place.open()) {
      Path disk = folder.resolve("disk.img");
      DiskImages.create(disk, BYTES, 1);
      try (Daemon daemon = Daemon.start(room.repository(), 2)) {
        for (int i = 1; i <= 6; i++) {
          DiskImages.change(disk, 4, i);
          states.add(Files.copy(disk, folder.resolve("state-" + i)));
          backup(daemon.address(), disk);
        }
        Mover.json("delete", "--machine", "web", "--point", "2", "--from", daemon.address()).ok();
        whole(daemon.address(), 1, 3, 4, 5, 6);
        killDuring(
            daemon,
            room.repository().resolve("machines/web"),
            "retain",
            "--keep-last",
            "3",
            "--from",
            daemon.address());
      }
      try (Daemon daemon = Daemon.start(room.repository(), 2)) {
        Mover.json("retain", "--keep-last", "3", "--from", daemon.address()).ok();
        whole(daemon.address(), 4, 5, 6);
        long before = room.usedBytes();
        JsonNode end =
            Mover.json("delete", "--machine", "web", "--all", "--from", daemon.address())
                .ok()
                .jsonLines()
                .getLast();
        assertThat(end.path("deletedPoints").asInt()).isEqualTo(3);
        long freed = before - room.usedBytes();
        assertThat(freed).isGreaterThan(BYTES / 6); // one point of this image takes 9.3 MB
        assertThat(end.path("freedBytes").asLong()).isBetween(freed * 3 / 4, freed * 5 / 4);
        assertThat(room.repository().resolve("machines/web")).doesNotExist();
        assertThat(daemon.stop()).isZero();
      }
    }
  }

  /** Kills the daemon as soon as the first point is gone. */
  private static void killDuring(Daemon daemon, Path machine, String... command) throws Exception {
    Process running = Mover.command(command).redirectErrorStream(true).start();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (points(machine) == 5 && System.nanoTime() < deadline) {
      Thread.onSpinWait();
    }
    daemon.kill();
    running.getInputStream().readAllBytes();
    assertThat(running.waitFor()).isIn(0, 2); // it may have been told in time
    assertThat(points(machine)).isBetween(3L, 4L);
  }

  private static long points(Path machine) throws IOException {
    try (Stream<Path> files = Files.list(machine)) {
      return files.filter(file -> file.toString().endsWith(".mbf")).count();
    }
  }

  private static void backup(String repository, Path disk) {
    Mover.json("backup", disk.toString(), "--machine", "web", "--to", repository).ok();
  }

  private void whole(String repository, int... points) throws Exception {
    assertThat(Mover.json("points", "--from", repository).ok().jsonLines())
        .extracting(point -> point.path("point").asInt())
        .containsExactly(Arrays.stream(points).boxed().toArray(Integer[]::new));
    for (int point : points) {
      Path target = folder.resolve("restored.img");
      Mover.json(
              "restore",
              "--machine",
              "web",
              "--point",
              String.valueOf(point),
              "--from",
              repository,
              target.toString())
          .ok();
      assertThat(Files.mismatch(states.get(point - 1), target)).isEqualTo(-1);
      Files.delete(target);
    }
    Mover.json("verify", "--data", "--from", repository).ok();
  }
}
