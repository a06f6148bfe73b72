package dev.mover.api.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.error.Side;
import dev.mover.api.linux.LinuxFile.Flag;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.memory.BufferSet;
import dev.mover.testkit.LoopDevice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LinuxFileOnDevicesTest {
  private static final int PAGE = 4096;

  @ParameterizedTest
  @ValueSource(ints = {512, 4096})
  void knowsTheSizeAndSectorOfADevice(int sectorSize) throws IOException {
    long sizeBytes = (3L << 20) + sectorSize;
    try (LoopDevice loop = LoopDevice.orSkip(sizeBytes, sectorSize);
        LinuxFile device = LinuxFile.open(loop.device())) {
      assertThat(device.deviceSize()).isEqualTo(sizeBytes);
      assertThat(device.size()).isEqualTo(sizeBytes);
      assertThat(device.deviceSectorSize()).isEqualTo(sectorSize);
    }
  }

  @Test
  void takesAWholeDeviceAsData() throws IOException {
    try (LoopDevice loop = LoopDevice.orSkip(1 << 20);
        LinuxFile device = LinuxFile.open(loop.device())) {
      assertThat(device.nextData(0)).isZero();
      assertThat(device.nextData(12345)).isEqualTo(12345);
      assertThat(device.nextData(1 << 20)).isEqualTo(-1);
    }
  }

  @Test
  void readsTheLastSectorDirectly() throws IOException {
    try (LoopDevice loop = LoopDevice.orSkip((1 << 20) + 512);
        LinuxFile device = LinuxFile.open(loop.device(), Flag.READ, Flag.DIRECT);
        BufferSet one = new BufferPool("test", Side.PROXY, 1 << 20).lease(1 << 16, 1, () -> {})) {
      BlockBuffer buffer = Objects.requireNonNull(one.tryTake());
      assertThat(device.read(buffer, 1 << 16, 1 << 20)).isEqualTo(512);
      assertThat(device.read(buffer, 1 << 16, (1 << 20) + 512)).isZero();
      buffer.release();
    }
  }

  @Test
  void zeroesARangeOfADeviceAndNothingElse() throws IOException {
    try (LoopDevice loop = LoopDevice.orSkip(1 << 20);
        LinuxFile device = LinuxFile.open(loop.device(), Flag.WRITE, Flag.EXCLUSIVE)) {
      ByteBuffer ones = ByteBuffer.allocateDirect(4 * PAGE);
      while (ones.hasRemaining()) {
        ones.put((byte) 1);
      }
      device.write(ones.flip(), 0);
      device.zeroDevice(PAGE, 2 * PAGE);
      device.sync();
      ByteBuffer read = ByteBuffer.allocateDirect(4 * PAGE);
      device.read(read, 0);
      for (int at = 0; at < 4 * PAGE; at++) {
        boolean zeroed = at >= PAGE && at < 3 * PAGE;
        assertThat(read.get(at)).isEqualTo((byte) (zeroed ? 0 : 1));
      }
    }
  }

  @Test
  void saysThatAFileIsNoDevice(@TempDir Path folder) throws IOException {
    Path path = Files.createFile(folder.resolve("file"));
    try (LinuxFile file = LinuxFile.open(path)) {
      assertThatThrownBy(file::deviceSize)
          .isInstanceOfSatisfying(
              LinuxException.class, e -> assertThat(e.errno()).isEqualTo(LinuxException.ENOTTY));
    }
  }
}
