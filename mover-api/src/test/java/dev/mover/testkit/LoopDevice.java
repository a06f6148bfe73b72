package dev.mover.testkit;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/** A raw block device over a sparse image file. Detached, and its image deleted, on close. */
public final class LoopDevice implements AutoCloseable {
  /** The smallest blocks there are, of a small ext4. */
  private static final int ROT_STEP = 1024;

  private final Path image;
  private final Path device;

  private LoopDevice(Path image, Path device) {
    this.image = image;
    this.device = device;
  }

  /** Why this machine can't make loop devices; empty when it can. */
  public static Optional<String> available() {
    if (!Shell.isRoot()) {
      return Optional.of("only root may attach loop devices");
    }
    if (!Shell.has("losetup")) {
      return Optional.of("losetup is not installed");
    }
    return Files.exists(Path.of("/dev/loop-control"))
        ? Optional.empty()
        : Optional.of("the kernel offers no /dev/loop-control");
  }

  /** A device of {@code sizeBytes} with 512-byte sectors; skips the test where there is none. */
  public static LoopDevice orSkip(long sizeBytes) {
    return orSkip(sizeBytes, 512);
  }

  public static LoopDevice orSkip(long sizeBytes, int sectorSize) {
    Shell.skipIf("a loop device", available());
    return attach(sizeBytes, sectorSize);
  }

  static LoopDevice attach(long sizeBytes, int sectorSize) {
    Path image = sparseFile(sizeBytes);
    try {
      String sectors = "--sector-size=" + sectorSize;
      String device = Shell.run("losetup", "--find", "--show", sectors, image.toString());
      return new LoopDevice(image, Path.of(device));
    } catch (IllegalStateException e) {
      delete(image);
      throw e;
    }
  }

  /** For example {@code /dev/loop3}. */
  public Path device() {
    return device;
  }

  /**
   * Lets one byte rot, below whatever lies on the device: flips bits of it wherever a block begins
   * with {@code marker}. Returns in how many places that was.
   *
   * @param at which byte after the begin of the marker
   */
  int rot(byte[] marker, int at) {
    int places = 0;
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      byte[] chunk = new byte[1 << 20];
      for (long from = 0; from < file.length(); from += chunk.length) {
        file.seek(from);
        int length = file.read(chunk);
        for (int block = 0; block + marker.length <= length; block += ROT_STEP) {
          if (Arrays.equals(chunk, block, block + marker.length, marker, 0, marker.length)) {
            file.seek(from + block + at);
            int was = file.read();
            file.seek(from + block + at);
            file.write(was ^ 0x40);
            places++;
          }
        }
      }
      file.getFD().sync();
      return places;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What lies from here on can't be read any more (EIO), until it is given back as zeros. */
  public void loseFrom(long offset) {
    resizeImage(offset);
  }

  /** Can be read up to its end again. */
  public void giveBack(long sizeBytes) {
    resizeImage(sizeBytes);
  }

  private void resizeImage(long bytes) {
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    Shell.run("losetup", "--detach", device.toString());
    delete(image);
  }

  static Path sparseFile(long sizeBytes) {
    try {
      Path image = Files.createTempFile("mover-test-", ".img");
      try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
        file.setLength(sizeBytes);
      }
      return image;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void delete(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
