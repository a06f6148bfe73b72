package dev.mover.testkit;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * Disk images that look like disks: holes, written zeros, text, noise and repeats of earlier
 * blocks, in stretches of 4 KiB to 2 MiB. The same seed gives the same bytes.
 */
public final class DiskImages {
  private static final int MAX_STRETCH = 2 << 20;
  private static final int PAGE = 4096;

  /** Every block size is a multiple of it, so a repeat is found whatever the block size. */
  private static final int REPEAT = 4 << 20;

  private static final byte[] WORDS =
      "a block of the restore point lies in an extent; a clone of it is a credit to its proxy\n"
          .getBytes(StandardCharsets.US_ASCII);
  private static final int WORD_BYTES = 12;

  private enum Stretch {
    HOLE,
    ZEROS,
    TEXT,
    NOISE
  }

  private DiskImages() {}

  /** Writes a new sparse image of exactly {@code sizeBytes}, of any size from 0 on. */
  public static void create(Path file, long sizeBytes, long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    byte[] repeated = new byte[REPEAT];
    fill(repeated, random);
    try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
      out.setLength(0);
      out.setLength(sizeBytes);
      long at = 0;
      while (at < sizeBytes) {
        if (at % REPEAT == 0 && sizeBytes - at >= REPEAT && random.nextInt(8) == 0) {
          out.seek(at);
          out.write(repeated);
          at += REPEAT;
        } else {
          // Stretches end at the next possible repeat, so that repeats come about.
          long room = Math.min(sizeBytes - at, REPEAT - at % REPEAT);
          at += writeStretch(out, at, room, random);
        }
      }
    }
  }

  /** Overwrites {@code places} random stretches of an image, as a day of work does. */
  public static void change(Path file, int places, long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
      long size = out.length();
      for (int i = 0; i < places && size > 0; i++) {
        long at = random.nextLong(size);
        byte[] fresh = new byte[(int) Math.min(size - at, 1 + random.nextInt(64 << 10))];
        random.nextBytes(fresh);
        out.seek(at);
        out.write(fresh);
      }
    }
  }

  /** {@code length} bytes of the same mixture. */
  public static byte[] bytes(int length, long seed) {
    byte[] out = new byte[length];
    fill(out, new SplittableRandom(seed));
    return out;
  }

  private static void fill(byte[] out, RandomGenerator random) {
    int at = 0;
    while (at < out.length) {
      byte[] stretch = stretch(random, pick(random), stretchLength(random, out.length - at));
      System.arraycopy(stretch, 0, out, at, stretch.length);
      at += stretch.length;
    }
  }

  private static long writeStretch(RandomAccessFile out, long at, long room, RandomGenerator random)
      throws IOException {
    int length = stretchLength(random, room);
    Stretch kind = pick(random);
    if (kind != Stretch.HOLE) {
      out.seek(at);
      out.write(stretch(random, kind, length));
    }
    return length;
  }

  private static Stretch pick(RandomGenerator random) {
    Stretch[] all = Stretch.values();
    return all[random.nextInt(all.length)];
  }

  private static int stretchLength(RandomGenerator random, long room) {
    int pages = 1 + random.nextInt(1 << random.nextInt(1, 10));
    return (int) Math.min(room, Math.min((long) pages * PAGE, MAX_STRETCH));
  }

  private static byte[] stretch(RandomGenerator random, Stretch kind, int length) {
    byte[] out = new byte[length];
    switch (kind) {
      case HOLE, ZEROS -> Arrays.fill(out, (byte) 0);
      case NOISE -> random.nextBytes(out);
      case TEXT -> text(out, random);
    }
    return out;
  }

  private static void text(byte[] out, RandomGenerator random) {
    int at = 0;
    while (at < out.length) {
      long draw = random.nextLong() >>> 1;
      int from = (int) (draw % (WORDS.length - WORD_BYTES));
      int length = Math.min(WORD_BYTES, out.length - at);
      System.arraycopy(WORDS, from, out, at, length);
      out[at] = (byte) ('0' + (draw >>> 32) % 10);
      at += length;
    }
  }
}
