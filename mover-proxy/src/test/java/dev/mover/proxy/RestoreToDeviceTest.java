package dev.mover.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.point.DiskSpec;
import dev.mover.api.point.Name;
import dev.mover.dedup.codec.Compression;
import dev.mover.testkit.LoopDevice;
import dev.mover.transport.inprocess.InProcessConnector;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole restores onto used devices. */
@Timeout(20)
class RestoreToDeviceTest {
  private static final int DISK = (5 << 20) + 700;
  private static final int DEVICE = 7 << 20;

  private final ModelRepository repository = new ModelRepository();
  private final Proxy proxy = new Proxy(new ProxyOptions(3, 2));
  private final byte[] content = content();

  private static byte[] content() {
    byte[] content = MemorySource.noise(DISK, 3);
    Arrays.fill(content, 1 << 20, 3 << 20, (byte) 0); // two whole blocks
    Arrays.fill(content, (3 << 20) + 5000, (3 << 20) + 90_000, (byte) 0); // within one
    return content;
  }

  @BeforeEach
  void backUp() {
    MemorySource source = new MemorySource(new DiskSpec(new Name("d"), DISK, 512), content);
    proxy.backup(
        new BackupRequest(new Name("m"), List.of(source), BlockSize.MIB_1, Compression.OPTIMAL),
        new InProcessConnector(repository),
        Progress.Listener.NONE);
  }

  @AfterEach
  void close() throws InterruptedException {
    repository.awaitIdle();
    assertThat(proxy.leasedBytes()).isZero();
    proxy.close();
    repository.pool.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {512, 4096})
  void makesAUsedDeviceTheDiskAndLeavesTheRest(int sectorSize) throws IOException {
    int lastSector = Math.ceilDiv(DISK, sectorSize) * sectorSize;
    try (LoopDevice loop = LoopDevice.orSkip(DEVICE, sectorSize)) {
      Files.write(loop.device(), used(DEVICE));
      RestoreResult result = restore(loop);
      byte[] now = Files.readAllBytes(loop.device());
      assertThat(Arrays.copyOf(now, DISK)).isEqualTo(content);
      assertThat(Arrays.copyOfRange(now, DISK, lastSector)).containsOnly(0);
      assertThat(Arrays.copyOfRange(now, lastSector, DEVICE)).containsOnly(0xaa);
      assertThat(result.writtenBytes()).isEqualTo(DISK - (2 << 20));
    }
  }

  @Test
  void zeroesWhatATolerantRestoreCannotFill() throws IOException {
    repository.unreadableBlocks = Set.of(0L);
    repository.damagedBlocks = Set.of((long) DISK >> 20);
    byte[] expected = content.clone();
    Arrays.fill(expected, 0, 1 << 20, (byte) 0);
    Arrays.fill(expected, DISK >> 20 << 20, DISK, (byte) 0);
    try (LoopDevice loop = LoopDevice.orSkip(DEVICE)) {
      Files.write(loop.device(), used(DEVICE));
      RestoreResult result =
          proxy.restore(
              new RestoreRequest(new Name("m"), 0, Optional.empty(), loop.device(), false, true),
              new InProcessConnector(repository),
              Progress.Listener.NONE);
      byte[] now = Files.readAllBytes(loop.device());
      assertThat(Arrays.copyOf(now, DISK)).isEqualTo(expected);
      assertThat(result.badRanges()).hasSize(2);
    }
  }

  @Test
  void leavesADeviceAloneThatIsTooSmall() throws IOException {
    try (LoopDevice loop = LoopDevice.orSkip(5 << 20)) {
      Files.write(loop.device(), used(5 << 20));
      assertThatThrownBy(() -> restore(loop))
          .isInstanceOfSatisfying(
              MoverException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.TARGET_TOO_SMALL));
      assertThat(Files.readAllBytes(loop.device())).isEqualTo(used(5 << 20));
    }
  }

  private RestoreResult restore(LoopDevice loop) {
    return proxy.restore(
        new RestoreRequest(new Name("m"), 0, Optional.empty(), loop.device(), false),
        new InProcessConnector(repository),
        Progress.Listener.NONE);
  }

  private static byte[] used(int length) {
    byte[] old = new byte[length];
    Arrays.fill(old, (byte) 0xaa);
    return old;
  }
}
