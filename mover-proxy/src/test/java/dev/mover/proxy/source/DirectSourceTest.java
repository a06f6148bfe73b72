package dev.mover.proxy.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import dev.mover.api.linux.LinuxException;
import dev.mover.api.linux.LinuxFile;
import dev.mover.api.linux.LinuxFile.Flag;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.memory.BufferSet;
import dev.mover.api.point.Name;
import dev.mover.testkit.DiskImages;
import dev.mover.testkit.LoopDevice;
import dev.mover.testkit.LoopMount;
import dev.mover.testkit.LoopMount.Kind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(20)
class DirectSourceTest {
  private static final Name DISK = new Name("d");
  private static final int BLOCK = 256 << 10;
  private static final int MIB = 1 << 20;

  @TempDir Path dir;

  @ParameterizedTest
  @ValueSource(
      ints = {0, 1, 511, 512, 513, 4095, 4097, MIB - 1, MIB, MIB + 1, 3 * MIB + 4096, 3 * MIB + 17})
  void readsAnySizeToItsLastByte(int size) throws IOException {
    Path image = dir.resolve("disk.raw");
    Files.write(image, DiskImages.bytes(size, size));
    try (DirectSource source = DirectSource.open(DISK, image)) {
      assertThat(source.spec().sizeBytes()).isEqualTo(size);
      assertThat(source.spec().sectorSize()).isEqualTo(512);
      assertThat(content(source)).isEqualTo(Files.readAllBytes(image));
      assertThat(source.finish()).isEmpty();
    }
  }

  @Test
  void skipsHolesAndNothingElse() throws IOException {
    Path image = dir.resolve("sparse.raw");
    byte[] data = DiskImages.bytes(3 * MIB, 4);
    long at = (1L << 40) + 12_345;
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(2L << 40);
      file.seek(at);
      file.write(data);
    }
    try (DirectSource source = DirectSource.open(DISK, image)) {
      long first = source.nextData(0);
      assertThat(first).isBetween(at - MIB, at);
      assertThat(source.nextData(at)).isEqualTo(at);
      assertThat(source.nextData(at + data.length + MIB)).isEqualTo(2L << 40);
      long block = at / BLOCK * BLOCK;
      byte[] read = read(source, block + BLOCK, BLOCK);
      int from = (int) (block + BLOCK - at);
      assertThat(read).isEqualTo(Arrays.copyOfRange(data, from, from + BLOCK));
    }
  }

  @Test
  void endsWithAHole() throws IOException {
    Path image = dir.resolve("hole.raw");
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(5_000_001);
    }
    try (DirectSource source = DirectSource.open(DISK, image)) {
      assertThat(source.nextData(0)).isEqualTo(5_000_001);
      assertThat(content(source)).isEqualTo(new byte[5_000_001]);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {512, 4096})
  void readsDevicesToTheirLastSector(int sectorSize) throws IOException {
    int size = 2 * MIB + sectorSize;
    byte[] data = DiskImages.bytes(size, 3);
    try (LoopDevice loop = LoopDevice.orSkip(size, sectorSize)) {
      Files.write(loop.device(), data);
      try (DirectSource source = DirectSource.open(DISK, loop.device())) {
        assertThat(source.spec().sizeBytes()).isEqualTo(size);
        assertThat(source.spec().sectorSize()).isEqualTo(sectorSize);
        assertThat(source.nextData(12_345)).isEqualTo(12_345);
        assertThat(content(source)).isEqualTo(data);
        assertThat(source.finish()).isEmpty();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void readsWhatOthersWroteAndDidNotSync(Kind kind) throws IOException {
    try (LoopMount mount = LoopMount.orSkip(kind, 320L << 20)) {
      Path image = mount.folder().resolve("disk.raw");
      byte[] data = DiskImages.bytes(6 * MIB + 5, 8);
      try (RandomAccessFile writer = new RandomAccessFile(image.toFile(), "rw")) {
        writer.setLength(16 * MIB);
        writer.seek(4 * MIB);
        writer.write(data); // still in the page cache, its blocks not yet allocated
        try (DirectSource source = DirectSource.open(DISK, image)) {
          assertThat(source.nextData(0)).isLessThanOrEqualTo(4 * MIB);
          assertThat(contentWithoutHoles(source)).isEqualTo(Files.readAllBytes(image));
        }
      }
    }
  }

  @Test
  void saysWhetherItReadsPastThePageCache() throws IOException {
    Path shm = Path.of("/dev/shm");
    assumeTrue(Files.isWritable(shm), "no tmpfs in /dev/shm");
    Path image = Files.createTempFile(shm, "mover-test-", ".raw");
    try {
      byte[] data = DiskImages.bytes(MIB + 7, 2);
      Files.write(image, data);
      try (DirectSource source = DirectSource.open(DISK, image)) {
        assertThat(source.describe())
            .startsWith(image.toString())
            .contains(takesDirectIo(image) ? "(direct I/O)" : "through the page cache");
        assertThat(content(source)).isEqualTo(data);
      }
    } finally {
      Files.delete(image);
    }
  }

  private static boolean takesDirectIo(Path path) {
    try (LinuxFile file = LinuxFile.open(path, Flag.READ, Flag.DIRECT)) {
      return file.size() > 0;
    } catch (LinuxException e) {
      return false;
    }
  }

  @Test
  void opensFilesOfFileSystemsThatHaveNothingToSync() {
    // As on ISO 9660: neither direct I/O nor fsync.
    try (DirectSource source = DirectSource.open(DISK, Path.of("/proc/sys/kernel/ostype"))) {
      assertThat(source.describe()).contains("through the page cache");
    }
  }

  @Test
  void refusesWhatIsNoDisk() throws Exception {
    assertRefused(dir, ErrorCode.SOURCE_UNSUPPORTED, "directory");
    assertRefused(Path.of("/dev/null"), ErrorCode.SOURCE_UNSUPPORTED, "neither");
    Path fifo = dir.resolve("fifo");
    assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
    assertRefused(fifo, ErrorCode.SOURCE_UNSUPPORTED, "neither");
    assertRefused(dir.resolve("missing"), ErrorCode.SOURCE_MISSING, "missing");
    Path file = Files.createFile(dir.resolve("file"));
    assertRefused(file.resolve("child"), ErrorCode.SOURCE_MISSING, "no file or device");
  }

  @Test
  void refusesWhatItMayNotRead() throws IOException {
    // Write-only even for root.
    Path writeOnly = Path.of("/proc/sys/vm/compact_memory");
    assumeTrue(Files.exists(writeOnly), "no " + writeOnly);
    assertRefused(writeOnly, ErrorCode.SOURCE_UNREADABLE, "permission");
  }

  private static void assertRefused(Path path, ErrorCode code, String words) {
    assertThatThrownBy(() -> DirectSource.open(DISK, path))
        .isInstanceOfSatisfying(MoverException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(path.toString())
        .hasMessageContaining(words);
  }

  @Test
  void saysWhereADeviceCannotBeRead() throws IOException {
    try (LoopDevice loop = LoopDevice.orSkip(4 * MIB);
        DirectSource source = DirectSource.open(DISK, loop.device())) {
      Path backing =
          Path.of("/sys/block", loop.device().getFileName().toString(), "loop/backing_file");
      try (RandomAccessFile image = new RandomAccessFile(Files.readString(backing).strip(), "rw")) {
        image.setLength(MIB); // the rest of the device is gone
      }
      assertThat(read(source, 0, BLOCK)).hasSize(BLOCK);
      assertReadFails(source, 2 * MIB, ErrorCode.SOURCE_READ_FAILED, "at byte 2097152");
    }
  }

  @Test
  void tellsThatAFileShrank() throws IOException {
    Path image = dir.resolve("disk.raw");
    Files.write(image, DiskImages.bytes(3 * MIB, 1));
    try (DirectSource source = DirectSource.open(DISK, image)) {
      try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
        file.setLength(2 * MIB + 100);
      }
      assertThat(read(source, MIB, BLOCK)).hasSize(BLOCK);
      assertReadFails(source, 2 * MIB, ErrorCode.SOURCE_SHRANK, "2097252 bytes now");
      assertThat(source.finish()).singleElement().asString().contains("3145728 to 2097252");
    }
  }

  @Test
  void warnsThatAFileGrewAndKeepsItsFirstSize() throws IOException {
    Path image = dir.resolve("disk.raw");
    byte[] data = DiskImages.bytes(MIB + 1, 1);
    Files.write(image, data);
    try (DirectSource source = DirectSource.open(DISK, image)) {
      Files.write(image, new byte[] {1, 2, 3}, StandardOpenOption.APPEND);
      assertThat(content(source)).isEqualTo(data);
      assertThat(source.finish()).singleElement().asString().contains("1048577 to 1048580");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "qcow2,0,QFI\u00fb",
    "VMDK,0,KDMV",
    "VMDK,0,COWD",
    "VMDK,0,# Disk DescriptorFile",
    "VHDX,0,vhdxfile",
    "VHD,0,conectix",
    "VDI,64,\u007f\u0010\u00da\u00be"
  })
  void warnsThatAFileHoldsADiskInside(String format, int offset, String magic) throws IOException {
    Path image = dir.resolve("disk.image");
    byte[] data = new byte[offset + magic.length()];
    byte[] mark = magic.getBytes(StandardCharsets.ISO_8859_1);
    System.arraycopy(mark, 0, data, offset, mark.length);
    Files.write(image, data);
    try (DirectSource source = DirectSource.open(DISK, image)) {
      assertThat(source.finish())
          .singleElement()
          .asString()
          .contains(image + " is a " + format + " image");
      assertThat(content(source)).isEqualTo(data);
    }
    try (DirectSource meant = DirectSource.open(DISK, image, true)) {
      assertThat(meant.finish()).isEmpty();
    }
    Files.write(image, Arrays.copyOf(data, data.length - 1));
    try (DirectSource cut = DirectSource.open(DISK, image)) {
      assertThat(cut.finish()).isEmpty();
    }
  }

  @Test
  void tellsItsCallerEvenOfItsOwnDefects() throws IOException {
    Path image = dir.resolve("disk.raw");
    Files.write(image, DiskImages.bytes(MIB, 1));
    try (DirectSource source = DirectSource.open(DISK, image);
        BufferPool pool = new BufferPool("test", Side.PROXY, MIB);
        BufferSet small = pool.lease(4096, 1, () -> {})) {
      BlockBuffer buffer = Objects.requireNonNull(small.tryTake());
      CompletableFuture<Optional<MoverException>> end = new CompletableFuture<>();
      source.read(0, 8192, buffer, error -> end.complete(Optional.ofNullable(error)));
      assertThat(end.join()).get().matches(e -> e.code() == ErrorCode.INTERNAL);
      buffer.release();
    }
  }

  @Test
  void closesAfterItsReadsHaveEnded() throws IOException {
    Path image = dir.resolve("disk.raw");
    Files.write(image, DiskImages.bytes(8 * MIB, 1));
    try (BufferPool pool = new BufferPool("test", Side.PROXY, 32L << 20);
        BufferSet buffers = pool.lease(BLOCK, 32, () -> {})) {
      DirectSource source = DirectSource.open(DISK, image);
      AtomicInteger ended = new AtomicInteger();
      for (int i = 0; i < 32; i++) {
        BlockBuffer buffer = Objects.requireNonNull(buffers.tryTake());
        source.read(
            (long) i * BLOCK,
            BLOCK,
            buffer,
            error -> {
              buffer.release();
              if (error == null) {
                ended.incrementAndGet();
              }
            });
      }
      source.close();
      assertThat(ended).hasValue(32);
      source.close();
    }
  }

  // ---- tools

  private static byte[] content(DirectSource source) {
    return content(source, false);
  }

  /** As a backup reads: a block where nothing is said to be is zeros. */
  private static byte[] contentWithoutHoles(DirectSource source) {
    return content(source, true);
  }

  private static byte[] content(DirectSource source, boolean skipHoles) {
    long size = source.spec().sizeBytes();
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (long at = 0; at < size; at += BLOCK) {
      int length = (int) Math.min(BLOCK, size - at);
      boolean hole = skipHoles && source.nextData(at) >= at + length;
      all.writeBytes(hole ? new byte[length] : read(source, at, length));
    }
    return all.toByteArray();
  }

  private static byte[] read(DirectSource source, long offset, int length) {
    try (BufferPool pool = new BufferPool("test", Side.PROXY, MIB);
        BufferSet one = pool.lease(BLOCK, 1, () -> {})) {
      BlockBuffer buffer = Objects.requireNonNull(one.tryTake());
      CompletableFuture<byte[]> end = new CompletableFuture<>();
      source.read(
          offset,
          length,
          buffer,
          error -> {
            byte[] bytes = new byte[length];
            buffer.bytes(0, length).get(bytes);
            buffer.release();
            if (error == null) {
              end.complete(bytes);
            } else {
              end.completeExceptionally(error);
            }
          });
      return end.join();
    }
  }

  private static void assertReadFails(
      DirectSource source, long offset, ErrorCode code, String words) {
    assertThatThrownBy(() -> read(source, offset, BLOCK))
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOfSatisfying(MoverException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(words);
  }
}
