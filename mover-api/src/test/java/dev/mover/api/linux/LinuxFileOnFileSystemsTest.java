package dev.mover.api.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.error.Side;
import dev.mover.api.linux.LinuxFile.Flag;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.memory.BufferSet;
import dev.mover.testkit.DiskImages;
import dev.mover.testkit.LoopMount;
import dev.mover.testkit.LoopMount.Kind;
import dev.mover.testkit.Seeds;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

/** The calls whose meaning depends on the file system, on each one a repository meets. */
@ParameterizedClass
@CsvSource({"XFS, 512", "XFS, 4096", "BTRFS, 512", "EXT4, 512", "EXT4, 4096"})
class LinuxFileOnFileSystemsTest {
  private static final int PAGE = 4096;
  private static final int BLOCK = 64 << 10;

  private final Kind kind;
  @AutoClose private final LoopMount mount;
  @AutoClose private final BufferSet buffers;

  LinuxFileOnFileSystemsTest(Kind kind, int sectorSize) {
    this.kind = kind;
    mount = LoopMount.orSkip(kind, 320L << 20, sectorSize);
    buffers = new BufferPool("test", Side.REPOSITORY, 1 << 20).lease(BLOCK, 2, () -> {});
  }

  @Test
  void readsEveryOddSizeDirectly() {
    Path path = mount.folder().resolve("odd");
    Seeds.check(
        60,
        random -> {
          int size = random.nextInt(1, 3 * BLOCK);
          size = random.nextInt(3) == 0 ? Math.ceilDiv(size, 512) * 512 : size;
          byte[] content = DiskImages.bytes(size, random.nextLong());
          Files.write(path, content);
          mount.dropCaches();
          assertThat(readDirectly(path, size)).isEqualTo(content);
        });
  }

  @Test
  void readsNothingDirectlyPastTheEnd() throws IOException {
    Path path = Files.write(mount.folder().resolve("short"), new byte[PAGE + 100]);
    BlockBuffer buffer = Objects.requireNonNull(buffers.tryTake());
    try (LinuxFile file = LinuxFile.open(path, Flag.READ, Flag.DIRECT)) {
      assertThat(file.read(buffer, BLOCK, 0)).isEqualTo(PAGE + 100);
      assertThat(file.read(buffer, BLOCK, 2L * PAGE)).isZero();
    } finally {
      buffer.release();
    }
  }

  @Test
  void writesDirectlyAndTrimsTheTail() throws IOException {
    byte[] content = DiskImages.bytes(BLOCK, 5);
    Path path = mount.folder().resolve("direct");
    BlockBuffer buffer = Objects.requireNonNull(buffers.tryTake());
    try (LinuxFile file = LinuxFile.open(path, Flag.WRITE, Flag.CREATE, Flag.DIRECT)) {
      buffer.bytes().put(content);
      file.write(buffer, BLOCK, 0);
      file.write(buffer, PAGE, BLOCK);
      file.truncate(BLOCK + 77);
      file.sync();
    } finally {
      buffer.release();
    }
    mount.dropCaches();
    byte[] stored = Files.readAllBytes(path);
    assertThat(Arrays.copyOf(stored, BLOCK)).isEqualTo(content);
    assertThat(Arrays.copyOfRange(stored, BLOCK, stored.length))
        .isEqualTo(Arrays.copyOf(content, 77));
  }

  @Test
  void sharesBlocksOrSaysThatItCannot() throws IOException {
    byte[] content = DiskImages.bytes(4 * BLOCK, 9);
    Path from = Files.write(mount.folder().resolve("clone-from"), content);
    Path to = Files.createFile(mount.folder().resolve("clone-to"));
    try (LinuxFile source = LinuxFile.open(from);
        LinuxFile target = LinuxFile.open(to, Flag.WRITE)) {
      if (!kind.clones()) {
        assertThatThrownBy(() -> target.cloneRange(source, 0, BLOCK, 0))
            .isInstanceOfSatisfying(
                LinuxException.class,
                e -> assertThat(e.errno()).isEqualTo(LinuxException.EOPNOTSUPP))
            .hasMessageContaining("not supported by this file system");
        return;
      }
      target.cloneRange(source, BLOCK, 2 * BLOCK, PAGE);
      target.sync();
    }
    assertThat(Files.size(to)).isEqualTo(2 * BLOCK + PAGE);
    byte[] cloned = Files.readAllBytes(to);
    assertThat(Arrays.copyOfRange(cloned, PAGE, cloned.length))
        .isEqualTo(Arrays.copyOfRange(content, BLOCK, 3 * BLOCK));
  }

  @Test
  void clonesFromADeletedFileWhoseDescriptorIsOpen() throws IOException {
    Assumptions.assumeTrue(kind.clones(), "this file system can't clone");
    byte[] content = DiskImages.bytes(BLOCK, 4);
    Path from = Files.write(mount.folder().resolve("deleted"), content);
    Path to = mount.folder().resolve("survivor");
    try (LinuxFile source = LinuxFile.open(from);
        LinuxFile target = LinuxFile.open(to, Flag.WRITE, Flag.CREATE)) {
      source.sync();
      Files.delete(from);
      target.cloneRange(source, 0, BLOCK, 0);
    }
    assertThat(Files.readAllBytes(to)).isEqualTo(content);
  }

  @Test
  void refusesToCloneAcrossItsGranularityOrFileSystem() throws IOException {
    Assumptions.assumeTrue(kind.clones(), "this file system can't clone");
    Path from = Files.write(mount.folder().resolve("whole"), new byte[BLOCK]);
    Path to = Files.write(mount.folder().resolve("part"), new byte[BLOCK]);
    Path elsewhere = Files.createTempFile("mover-test-", ".elsewhere");
    try (LinuxFile source = LinuxFile.open(from);
        LinuxFile target = LinuxFile.open(to, Flag.WRITE);
        LinuxFile foreign = LinuxFile.open(elsewhere, Flag.WRITE)) {
      assertErrno(LinuxException.EINVAL, () -> target.cloneRange(source, 512, PAGE, 0));
      assertErrno(LinuxException.EINVAL, () -> target.cloneRange(source, 0, PAGE, 100));
      assertErrno(LinuxException.EXDEV, () -> foreign.cloneRange(source, 0, PAGE, 0));
    } finally {
      Files.delete(elsewhere);
    }
  }

  @Test
  void punchesHolesAndFindsTheDataBehindThem() throws IOException {
    Path path = Files.write(mount.folder().resolve("holes"), filled(8 * BLOCK));
    try (LinuxFile file = LinuxFile.open(path, Flag.WRITE)) {
      file.sync();
      assertThat(file.nextData(0)).isZero();
      file.punchHole(0, 2 * BLOCK);
      file.punchHole(6 * BLOCK, 2 * BLOCK);
      file.sync();
      assertThat(file.size()).isEqualTo(8 * BLOCK);
      assertThat(file.nextData(0)).isEqualTo(2 * BLOCK);
      assertThat(file.nextData(3 * BLOCK + 1)).isEqualTo(3 * BLOCK + 1);
      assertThat(file.nextData(6 * BLOCK)).isEqualTo(-1);
      assertThat(file.nextData(100 * BLOCK)).isEqualTo(-1);
      ByteBuffer hole = ByteBuffer.allocateDirect(BLOCK);
      file.read(hole, BLOCK);
      assertThat(hole.flip()).isEqualTo(ByteBuffer.allocate(BLOCK));
    }
  }

  @Test
  void saysThatThereIsNoRoomLeft() throws IOException {
    Path path = mount.folder().resolve("full");
    try (LinuxFile file = LinuxFile.open(path, Flag.WRITE, Flag.CREATE, Flag.DIRECT)) {
      BlockBuffer buffer = Objects.requireNonNull(buffers.tryTake());
      try {
        assertThatThrownBy(
                () -> {
                  for (long at = 0; at < 400L << 20; at += BLOCK) {
                    file.write(buffer, BLOCK, at);
                  }
                })
            .isInstanceOfSatisfying(LinuxException.class, e -> assertThat(e.isNoSpace()).isTrue());
      } finally {
        buffer.release();
      }
    } finally {
      Files.delete(path);
    }
  }

  @Test
  void tellsWhichPiecesOfAFileAreShared() throws IOException {
    Path one = mount.folder().resolve("one");
    Path two = mount.folder().resolve("two");
    BlockBuffer buffer = Objects.requireNonNull(buffers.tryTake());
    try (LinuxFile from = LinuxFile.open(one, Flag.WRITE, Flag.CREATE, Flag.DIRECT);
        LinuxFile to = LinuxFile.open(two, Flag.WRITE, Flag.CREATE, Flag.DIRECT)) {
      from.write(buffer, BLOCK, 0);
      from.write(buffer, BLOCK, 4 * BLOCK);
      from.sync();
      assertThat(from.extents(0))
          .allSatisfy(e -> assertThat(e.plain()).isTrue())
          .noneMatch(DiskExtent::shared);
      assertThat(bytes(from)).isEqualTo(2 * BLOCK);
      assertThat(from.extents(5 * BLOCK)).isEmpty();
      Assumptions.assumeTrue(kind.clones());
      to.cloneRange(from, 4 * BLOCK, BLOCK, 0);
      to.sync();
      LinuxFile.syncFileSystem(mount.folder());
      assertThat(to.extents(0)).allMatch(DiskExtent::shared);
      assertThat(from.extents(0).getLast().shared()).isTrue();
      assertThat(from.extents(0).getFirst().shared()).isFalse();
      assertThat(to.extents(0).getFirst().physical())
          .isEqualTo(from.extents(4 * BLOCK).getFirst().physical());
    } finally {
      buffer.release();
      Files.deleteIfExists(one);
      Files.deleteIfExists(two);
    }
  }

  private static long bytes(LinuxFile file) throws LinuxException {
    return file.extents(0).stream().mapToLong(DiskExtent::length).sum();
  }

  @Test
  void refusesToOpenItsMountedDeviceExclusively() {
    assertErrno(
        LinuxException.EBUSY,
        () -> LinuxFile.open(mount.device(), Flag.WRITE, Flag.EXCLUSIVE).close());
  }

  private byte[] readDirectly(Path path, int size) throws IOException {
    ByteBuffer all = ByteBuffer.allocate(size);
    BlockBuffer buffer = Objects.requireNonNull(buffers.tryTake());
    try (LinuxFile file = LinuxFile.open(path, Flag.READ, Flag.DIRECT)) {
      for (int at = 0; at < size; at += BLOCK) {
        int n = file.read(buffer, BLOCK, at);
        assertThat(n).isEqualTo(Math.min(BLOCK, size - at));
        all.put(buffer.bytes(0, n));
      }
    } finally {
      buffer.release();
    }
    return all.array();
  }

  private static byte[] filled(int length) {
    byte[] out = new byte[length];
    Arrays.fill(out, (byte) 0x5a);
    return out;
  }

  private interface Call {
    void run() throws IOException;
  }

  private static void assertErrno(int errno, Call call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(LinuxException.class, e -> assertThat(e.errno()).isEqualTo(errno));
  }
}
