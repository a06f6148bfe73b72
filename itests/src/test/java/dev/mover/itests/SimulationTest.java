package dev.mover.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.itests.SimulatedHistory.Count;
import dev.mover.testkit.LoopMount;
import dev.mover.testkit.LoopMount.Kind;
import dev.mover.testkit.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whole histories of a real proxy and a real repository over the in-process transport and a
 * simulated disk: lost and slow links, crashes with lost and torn writes, full disks, clocks that
 * jump, deletions and retentions, rot and healing, an index that is gone or out of date; and after
 * each that every point that must be there is there, whole, and no other.
 *
 * <p>{@code -Dmover.simulation.minutes=N} goes on for so long on each file system; a failure names
 * its seed, and {@code -Dmover.seed=N} runs that one again.
 */
@Timeout(7200)
class SimulationTest {
  private static final Duration SHORT = Duration.ofSeconds(20);

  /** What the JVM itself may have opened since. */
  private static final int STRAY_FILES = 6;

  @TempDir Path dir;

  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"XFS", "EXT4"})
  void everyPointSurvivesAnyHistory(Kind kind) throws IOException {
    try (LoopMount mount = LoopMount.orSkip(kind, 320L << 20)) {
      long end = System.nanoTime() + time().toNanos();
      int histories = 0;
      long mostOpen = 0;
      Count[] all = {Count.NONE};
      do {
        Seeds.check(1, random -> all[0] = all[0].plus(run(mount, random, false)));
        histories++;
        mostOpen = histories == 1 ? openFiles() + STRAY_FILES : mostOpen;
      } while (System.nanoTime() < end && Long.getLong("mover.seed") == null);
      System.out.printf("%s: %d histories, %s%n", kind, histories, all[0]);
      assertThat(all[0].backups()).isPositive();
      assertThat(openFiles()).as("open files").isLessThanOrEqualTo(mostOpen);
    }
  }

  /** This test can fail: on a disk that makes nothing durable it misses points, and says so. */
  @Test
  void noticesADiskThatLies() throws IOException {
    try (LoopMount mount = LoopMount.orSkip(Kind.EXT4, 320L << 20)) {
      assertThatThrownBy(
              () -> {
                for (int seed = 0; seed < 30; seed++) {
                  run(mount, new SplittableRandom(seed), true);
                }
              })
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("must have points");
    }
  }

  private Count run(LoopMount mount, RandomGenerator random, boolean lies) throws IOException {
    Path extent = Files.createTempDirectory(mount.folder(), "extent");
    Path work = Files.createTempDirectory(dir, "history");
    try {
      return SimulatedHistory.run(work, extent, random, lies);
    } finally {
      delete(work);
      delete(extent);
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  private static long openFiles() throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.count();
    }
  }

  private static Duration time() {
    Integer minutes = Integer.getInteger("mover.simulation.minutes");
    return minutes == null ? SHORT : Duration.ofMinutes(minutes);
  }
}
