package dev.mover.deploy.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A disk image that behaves like one with a used file system: stretches full of files and free
 * stretches of some MiB in turn, half of the disk each; files of a few bytes to many MiB, most of
 * them small and most bytes in large ones, each from a multiple of 4 KiB on. Free space is holes.
 * The same seed and size give the same image.
 */
final class BenchImage {
  /** What one thread makes at a time, from a seed of its own. */
  private static final int STRETCH_BYTES = 64 << 20;

  private static final int PAGE = 4096;
  private static final double MEDIAN_FILE_BYTES = 40 << 10;
  private static final double FILE_SPREAD = 1.9; // of the logarithm; mean size 240 KB
  private static final int MOST_FILE_BYTES = 32 << 20;
  private static final int MOST_RUN_BYTES = 24 << 20;

  private final long sizeBytes;
  private final long seed;
  private final AtomicLong next = new AtomicLong();
  private final AtomicLong dataBytes = new AtomicLong();

  private BenchImage(long sizeBytes, long seed) {
    this.sizeBytes = sizeBytes;
    this.seed = seed;
  }

  /** Makes the image; returns how many bytes of it are not holes. */
  static long write(Path path, long sizeBytes, long seed, int threads) throws IOException {
    BenchImage image = new BenchImage(sizeBytes, seed);
    try (FileChannel out =
        FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      out.write(ByteBuffer.wrap(new byte[1]), sizeBytes - 1);
      LoopThreads.run(threads, () -> image.work(out));
      out.force(true);
    }
    return image.dataBytes.get();
  }

  private void work(FileChannel out) throws IOException {
    byte[] run = new byte[MOST_RUN_BYTES];
    long start;
    while ((start = next.getAndAdd(STRETCH_BYTES)) < sizeBytes) {
      stretch(out, start, Math.min(start + STRETCH_BYTES, sizeBytes), run);
    }
  }

  /** Full and free runs in turn; runs are even on average, so half is full. */
  private void stretch(FileChannel out, long start, long end, byte[] run) throws IOException {
    SplittableRandom random = new SplittableRandom(seed ^ Long.reverse(start));
    boolean full = random.nextBoolean();
    long at = start;
    while (at < end) {
      int length = (int) Math.min(PAGE * (1 + random.nextLong(MOST_RUN_BYTES / PAGE)), end - at);
      if (full) {
        fill(random, run, length);
        write(out, run, length, at);
        dataBytes.addAndGet(length);
      }
      full = !full;
      at += length;
    }
  }

  private static void fill(SplittableRandom random, byte[] run, int length) {
    int at = 0;
    while (at < length) {
      double size = MEDIAN_FILE_BYTES * Math.exp(FILE_SPREAD * random.nextGaussian());
      int file = (int) Math.clamp(size, 1, Math.min(MOST_FILE_BYTES, length - at));
      FileContent.fill(random, run, at, file);
      int next = Math.min(Math.ceilDiv(at + file, PAGE) * PAGE, length);
      Arrays.fill(run, at + file, next, (byte) 0);
      at = next;
    }
  }

  private static void write(FileChannel out, byte[] bytes, int length, long at) throws IOException {
    ByteBuffer left = ByteBuffer.wrap(bytes, 0, length);
    long offset = at;
    while (left.hasRemaining()) {
      offset += out.write(left, offset);
    }
  }
}
