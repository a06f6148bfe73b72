package dev.mover.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.repository.extent.ExtentLayout;
import dev.mover.repository.file.HostilePages;
import dev.mover.testkit.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A backup file that somebody made up, checksums and all, is read by all that read: nothing hangs,
 * nothing is taken beyond the pools, and whatever fails says what a person can use. The other
 * points are as they were.
 */
class HostileFileTest {
  private static final BlockSize SIZE = BlockSize.KIB_256;
  private static final Set<ErrorCode> SAID =
      Set.of(
          ErrorCode.METADATA_DAMAGED,
          ErrorCode.BLOCK_DAMAGED,
          ErrorCode.DIGEST_MISMATCH,
          ErrorCode.NO_SUCH_POINT,
          ErrorCode.NO_SUCH_DISK,
          ErrorCode.REPOSITORY_READ_FAILED,
          ErrorCode.OUT_OF_MEMORY_BUDGET);

  @TempDir Path temp;

  @Test
  @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void isReadWithoutHarm() throws IOException {
    byte[] disk = Content.disk(9 * SIZE.bytes() + 100, 1);
    Path made = temp.resolve("made");
    byte[] changed = disk.clone();
    Arrays.fill(changed, 0, 2 * SIZE.bytes(), (byte) 7);
    try (Repository repository = Repository.open(made, RepositoryOptions.DEFAULT)) {
      for (byte[] content : List.of(disk, changed)) {
        ScriptedProxy.backup(
            repository.links(), SIZE, "web", Map.of("system", content, "data", disk));
      }
      ScriptedProxy.backup(repository.links(), SIZE, "db", Map.of("system", disk));
    }
    Seeds.check(
        Integer.getInteger("mover.hostile.files", 20),
        random -> {
          Path directory = temp.resolve("hostile");
          copy(made, directory);
          HostilePages.change(point(directory, "web", 1 + random.nextInt(2)), random);
          try (Repository repository = Repository.open(directory, RepositoryOptions.DEFAULT)) {
            readAll(repository);
            assertThat(ScriptedReader.restore(repository.links(), "db", 1, 0)).isEqualTo(disk);
            ScriptedProxy.backup(
                repository.links(), SIZE, "web", Map.of("system", changed, "data", disk));
            attempt(() -> ScriptedRemoval.delete(repository.links(), "web", 0));
            assertThat(ScriptedReader.restore(repository.links(), "db", 1, 0)).isEqualTo(disk);
            ScriptedProxy.poll("buffers", () -> repository.leasedBytes() == 0);
          }
          ExtentLayout.removeTree(directory);
        });
  }

  private static void readAll(Repository repository) {
    attempt(() -> ScriptedReader.points(repository.links(), ""));
    attempt(() -> ScriptedReader.verify(repository.links(), "", true));
    for (long point = 1; point <= 2; point++) {
      long sequence = point;
      for (boolean tolerant : new boolean[] {false, true}) {
        attempt(() -> read(repository, sequence, tolerant));
      }
    }
  }

  /** As far as the repository's part goes: whoever restores checks the rest by id and digest. */
  private static void read(Repository repository, long sequence, boolean tolerant) {
    try (ScriptedReader reader = new ScriptedReader(repository.links())) {
      reader.readAll("web", sequence, tolerant);
    }
  }

  private static void attempt(ThrowingCallable reading) {
    try {
      reading.call();
    } catch (MoverException e) {
      assertThat(e.code()).as(e.getMessage()).isIn(SAID);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  private static Path point(Path directory, String machine, long sequence) throws IOException {
    return ExtentLayout.files(directory.resolve("machines").resolve(machine)).stream()
        .filter(file -> file.committed() && file.sequence() == sequence)
        .findFirst()
        .orElseThrow()
        .path();
  }

  private static void copy(Path from, Path to) throws IOException {
    try (var all = Files.walk(from)) {
      for (Path path : all.toList()) {
        Path target = to.resolve(from.relativize(path).toString());
        if (Files.isDirectory(path)) {
          Files.createDirectories(target);
        } else if (!path.endsWith("LOCK")) {
          Files.copy(path, target);
        }
      }
    }
  }
}
