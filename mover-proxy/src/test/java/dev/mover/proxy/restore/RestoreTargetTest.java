package dev.mover.proxy.restore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import dev.mover.api.linux.LinuxFile;
import dev.mover.api.linux.LinuxFile.Flag;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.memory.BufferSet;
import dev.mover.testkit.DiskImages;
import dev.mover.testkit.LoopDevice;
import dev.mover.testkit.LoopMount;
import dev.mover.testkit.LoopMount.Kind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(20)
class RestoreTargetTest {
  private static final int MIB = 1 << 20;

  @TempDir Path dir;
  private final BufferPool pool = new BufferPool("test", Side.PROXY, 8 * MIB);
  private final BufferSet buffers = pool.lease(MIB, 1, () -> {});

  @AfterEach
  void close() {
    buffers.close();
    assertThat(pool.leasedBytes()).isZero();
    pool.close();
  }

  // ---- files

  @Test
  void makesASparseFileOfTheDisksSize() throws IOException {
    Path path = dir.resolve("new.raw");
    byte[] tail = DiskImages.bytes(777, 1);
    try (RestoreTarget target = RestoreTarget.open(path, 5 * MIB + 777, 777, false)) {
      assertThat(target.keepsOldContent()).isFalse();
      target.begin();
      write(target, 5 * MIB, tail);
      target.finish();
    }
    assertThat(Files.size(path)).isEqualTo(5 * MIB + 777);
    byte[] expected = new byte[5 * MIB + 777];
    System.arraycopy(tail, 0, expected, 5 * MIB, 777);
    assertThat(Files.readAllBytes(path)).isEqualTo(expected);
    try (LinuxFile file = LinuxFile.open(path)) {
      assertThat(file.nextData(0)).isGreaterThanOrEqualTo(5 * MIB - 4096);
    }
  }

  @Test
  void removesAFileItMadeAndDidNotFinish() {
    Path path = dir.resolve("new.raw");
    try (RestoreTarget target = RestoreTarget.open(path, MIB, MIB, false)) {
      target.begin();
      write(target, 0, new byte[] {1});
      assertThat(path).as("not whole yet").doesNotExist();
      assertThat(dir).isDirectoryContaining("glob:**new.raw.unfinished");
    }
    assertThat(dir).isEmptyDirectory();
  }

  @Test
  void takesOverWhatAKilledRestoreLeft() throws IOException {
    Path path = dir.resolve("new.raw");
    Files.writeString(dir.resolve("new.raw.unfinished"), "half a disk".repeat(1000));
    try (RestoreTarget target = RestoreTarget.open(path, 5, 0, false)) {
      target.begin();
      target.finish();
    }
    assertThat(Files.readAllBytes(path)).isEqualTo(new byte[5]);
    assertThat(dir.resolve("new.raw.unfinished")).doesNotExist();
  }

  @Test
  void neverReplacesAFileThatAppearedMeanwhile() throws IOException {
    Path path = dir.resolve("new.raw");
    try (RestoreTarget target = RestoreTarget.open(path, 5, 0, false)) {
      target.begin();
      Files.writeString(path, "precious");
      assertThatThrownBy(target::finish).isInstanceOf(MoverException.class);
    }
    assertThat(path).hasContent("precious");
  }

  @Test
  void keepsAFileThatWasThere() throws IOException {
    Path path = dir.resolve("old.raw");
    Files.writeString(path, "precious");
    assertRefused(path, MIB, ErrorCode.TARGET_EXISTS, "not empty");
    assertThat(path).hasContent("precious");
    try (RestoreTarget target = RestoreTarget.open(path, MIB, 0, true)) {
      assertThat(path).as("before the first write").hasContent("precious");
      target.begin();
    }
    assertThat(path).as("not ours to remove").exists();
  }

  @Test
  void neverOverwritesABackupFile() throws IOException {
    Path path = dir.resolve("0000000001.mbf");
    Files.writeString(path, "MVRBACK1 and all that is in a restore point");
    assertThatThrownBy(() -> RestoreTarget.open(path, MIB, 0, true))
        .hasMessageContaining("is a backup file of a repository");
    assertThat(path).hasContent("MVRBACK1 and all that is in a restore point");
  }

  @Test
  void fillsAnEmptyFileThatWasThere() throws IOException {
    Path path = Files.createFile(dir.resolve("empty.raw"));
    try (RestoreTarget target = RestoreTarget.open(path, 3, 3, false)) {
      target.begin();
      write(target, 0, new byte[] {1, 2, 3});
      target.finish();
    }
    assertThat(path).hasBinaryContent(new byte[] {1, 2, 3});
  }

  @Test
  void refusesAFileThatAnotherDescriptorHolds() throws IOException {
    Path path = dir.resolve("busy.raw");
    Files.writeString(path, "precious");
    try (LinuxFile holder = LinuxFile.open(path, Flag.READ)) {
      assertThat(holder.tryLock(false)).isTrue(); // readers too
      assertBusy(path);
    }
    try (RestoreTarget target = RestoreTarget.open(path, MIB, 0, true)) {
      assertThat(target.keepsOldContent()).isFalse();
      assertBusy(path);
    }
    assertThat(path).hasContent("precious");
  }

  @Test
  void refusesTheDiskOfARunningMachine() throws Exception {
    Path qemu = Path.of("/usr/bin/qemu-io");
    if (!Files.isExecutable(qemu)) {
      System.err.println("SKIPPED: a test needs qemu-io (Debian: qemu-utils)");
    }
    assumeTrue(Files.isExecutable(qemu), "qemu-io is not installed");
    Path path = dir.resolve("vm.raw");
    byte[] content = DiskImages.bytes(MIB, 6);
    Files.write(path, content);
    Process machine =
        new ProcessBuilder(qemu.toString(), "-f", "raw", path.toString())
            .redirectErrorStream(true)
            .start();
    try (BufferedReader said =
        new BufferedReader(
            new InputStreamReader(machine.getInputStream(), StandardCharsets.UTF_8))) {
      machine.getOutputStream().write("length\n".getBytes(StandardCharsets.UTF_8));
      machine.getOutputStream().flush();
      assertThat(said.readLine()).contains("1 MiB"); // it has the file open now
      assertBusy(path);
    } finally {
      machine.getOutputStream().close();
      machine.waitFor();
    }
    assertThat(Files.readAllBytes(path)).isEqualTo(content);
    try (RestoreTarget target = RestoreTarget.open(path, MIB, 0, true)) {
      assertThat(target.keepsOldContent()).as("once it is stopped").isFalse();
    }
  }

  @Test
  void refusesAFullFileSystemBeforeTheFirstWrite() throws IOException {
    try (LoopMount mount = LoopMount.orSkip(Kind.EXT4, 16 * MIB)) {
      Path path = mount.folder().resolve("new.raw");
      assertThatThrownBy(() -> RestoreTarget.open(path, 64 * MIB, 64 * MIB, false))
          .isInstanceOfSatisfying(
              MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TARGET_TOO_SMALL))
          .hasMessageContaining("nothing was written");
      assertThat(path).doesNotExist();
    }
  }

  @Test
  void removesItsFileWhenTheFileSystemRunsFull() throws IOException {
    try (LoopMount mount = LoopMount.orSkip(Kind.EXT4, 16 * MIB)) {
      Path path = mount.folder().resolve("new.raw");
      byte[] block = new byte[MIB];
      Arrays.fill(block, (byte) 1);
      try (RestoreTarget target = RestoreTarget.open(path, 64 * MIB, 0, false)) {
        target.begin();
        assertThatThrownBy(
                () -> {
                  for (int i = 0; i < 64; i++) {
                    write(target, (long) i * MIB, block);
                  }
                })
            .isInstanceOfSatisfying(
                MoverException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.TARGET_WRITE_FAILED))
            .hasMessageContaining("no space left")
            .hasMessageContaining("removed");
      }
      assertThat(path).doesNotExist();
    }
  }

  @Test
  void refusesWhatHoldsNoDisk() throws Exception {
    assertRefused(dir, MIB, ErrorCode.TARGET_EXISTS, "directory");
    assertRefused(Path.of("/dev/null"), MIB, ErrorCode.TARGET_EXISTS, "no disk");
    Path fifo = dir.resolve("fifo");
    assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
    assertRefused(fifo, MIB, ErrorCode.TARGET_EXISTS, "no disk");
    assertRefused(
        dir.resolve("no/such/folder"), MIB, ErrorCode.TARGET_WRITE_FAILED, "no such file");
  }

  // ---- devices

  @Test
  void refusesADeviceThatIsTooSmallBeforeTheFirstWrite() throws IOException {
    try (LoopDevice loop = LoopDevice.orSkip(MIB)) {
      byte[] old = used(MIB);
      Files.write(loop.device(), old);
      assertRefused(loop.device(), MIB + 1, ErrorCode.TARGET_TOO_SMALL, "nothing was written");
      assertThat(Files.readAllBytes(loop.device())).isEqualTo(old);
    }
  }

  @Test
  void refusesAMountedDevice() {
    try (LoopMount mount = LoopMount.orSkip(Kind.EXT4, 16 * MIB)) {
      assertRefused(mount.device(), MIB, ErrorCode.TARGET_BUSY, "mounted or in use");
    }
  }

  @Test
  void refusesADeviceThatIsBeingRestored() {
    try (LoopDevice loop = LoopDevice.orSkip(MIB);
        RestoreTarget target = RestoreTarget.open(loop.device(), MIB, 0, false)) {
      assertThat(target.keepsOldContent()).isTrue();
      assertRefused(loop.device(), MIB, ErrorCode.TARGET_BUSY, "in use");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {512, 4096})
  void changesAUsedDeviceWhereTheDiskIsAndNowhereElse(int sectorSize) throws IOException {
    int diskBytes = 3 * MIB + 700;
    int lastSector = Math.ceilDiv(diskBytes, sectorSize) * sectorSize;
    byte[] first = DiskImages.bytes(MIB, 1);
    byte[] last = DiskImages.bytes(700, 2);
    try (LoopDevice loop = LoopDevice.orSkip(5 * MIB, sectorSize)) {
      Files.write(loop.device(), used(5 * MIB));
      try (RestoreTarget target = RestoreTarget.open(loop.device(), diskBytes, 0, false)) {
        target.begin();
        target.zero(MIB, 2 * MIB);
        write(target, 0, first);
        write(target, 3 * MIB, last);
        target.finish();
      }
      byte[] expected = used(5 * MIB);
      Arrays.fill(expected, 0, lastSector, (byte) 0);
      System.arraycopy(first, 0, expected, 0, MIB);
      System.arraycopy(last, 0, expected, 3 * MIB, 700);
      assertThat(Files.readAllBytes(loop.device())).isEqualTo(expected);
    }
  }

  // ---- tools

  private static byte[] used(int length) {
    byte[] old = new byte[length];
    Arrays.fill(old, (byte) 0xaa);
    return old;
  }

  private void write(RestoreTarget target, long offset, byte[] bytes) {
    BlockBuffer buffer = Objects.requireNonNull(buffers.tryTake());
    try {
      buffer.segment().fill((byte) 0x55); // what was in it before
      buffer.bytes().put(bytes);
      target.write(offset, buffer, bytes.length);
    } finally {
      buffer.release();
    }
  }

  private static void assertBusy(Path path) {
    assertRefused(path, MIB, ErrorCode.TARGET_BUSY, "in use");
  }

  private static void assertRefused(Path path, long diskBytes, ErrorCode code, String words) {
    assertThatThrownBy(
            () -> RestoreTarget.open(path, diskBytes, 0, code != ErrorCode.TARGET_EXISTS))
        .isInstanceOfSatisfying(MoverException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(path.toString())
        .hasMessageContaining(words);
  }
}
