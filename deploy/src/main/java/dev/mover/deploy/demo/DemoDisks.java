package dev.mover.deploy.demo;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;

/**
 * Disks that look like real ones, made fast from seeds: pages of text, pages that don't compress,
 * and zeros. The system disks of all machines come from one installation and differ in a few
 * places; data disks have nothing in common.
 */
final class DemoDisks {
  static final long SYSTEM_BYTES = 192L << 20;

  /** Not a multiple of the block size, so that the last block is a short one. */
  static final long DATA_BYTES = (128L << 20) + 36_864;

  private static final int CHUNK = 1 << 20;
  private static final int PAGE = 4096;
  private static final int TEXT_BYTES = 8 << 20;
  private static final int WORDS = 4096;

  private final byte[] text = text(new SplittableRandom(7));

  /** A fresh installation of seed {@code os}, with some pages of the machine's own. */
  void writeSystem(Path file, long os, long machine) throws IOException {
    fill(file, SYSTEM_BYTES, os);
    touch(file, SYSTEM_BYTES, machine, 5);
  }

  void writeData(Path file, long machine) throws IOException {
    fill(file, DATA_BYTES, machine);
  }

  /** An update that all machines install alike, and what this one wrote to its logs. */
  void updateSystem(Path file, long update, long machine) throws IOException {
    touch(file, SYSTEM_BYTES, update, 12);
    touch(file, SYSTEM_BYTES, machine, 3);
  }

  /** A day's work on a data disk: some pages new, some freed. */
  void updateData(Path file, long day) throws IOException {
    touch(file, DATA_BYTES, day, 8);
    zero(file, DATA_BYTES / 2 / CHUNK * CHUNK, 2L * CHUNK);
  }

  private void fill(Path file, long size, long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    byte[] chunk = new byte[CHUNK];
    try (FileChannel out =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (long at = 0; at < size; at += CHUNK) {
        int length = (int) Math.min(CHUNK, size - at);
        if (random.nextInt(100) >= 25 || at + length == size) { // a quarter is free: holes
          fillPages(chunk, length, random);
          write(out, chunk, length, at);
        }
      }
    }
  }

  private void fillPages(byte[] chunk, int length, SplittableRandom random) {
    byte[] page = new byte[PAGE];
    for (int at = 0; at < length; at += PAGE) {
      int part = Math.min(PAGE, length - at);
      if (random.nextInt(100) < 70) {
        System.arraycopy(text, random.nextInt(TEXT_BYTES - PAGE), chunk, at, part);
      } else {
        random.nextBytes(page);
        System.arraycopy(page, 0, chunk, at, part);
      }
    }
  }

  /** Rewrites {@code places} runs of 64 KiB somewhere on the disk. */
  private void touch(Path file, long size, long seed, int places) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    byte[] run = new byte[16 * PAGE];
    try (FileChannel out = FileChannel.open(file, StandardOpenOption.WRITE)) {
      for (int i = 0; i < places; i++) {
        fillPages(run, run.length, random);
        write(out, run, run.length, random.nextLong(size / PAGE - 16) * PAGE);
      }
    }
  }

  private static void zero(Path file, long at, long length) throws IOException {
    try (FileChannel out = FileChannel.open(file, StandardOpenOption.WRITE)) {
      write(out, new byte[(int) length], (int) length, at);
    }
  }

  private static void write(FileChannel out, byte[] bytes, int length, long at) throws IOException {
    ByteBuffer left = ByteBuffer.wrap(bytes, 0, length);
    while (left.hasRemaining()) {
      at += out.write(left, at);
    }
  }

  /** Made-up words, some far more often than others, as in logs and sources. */
  private static byte[] text(SplittableRandom random) {
    byte[][] words = new byte[WORDS][];
    for (int i = 0; i < WORDS; i++) {
      StringBuilder word = new StringBuilder();
      for (int letters = 2 + random.nextInt(9); letters > 0; letters--) {
        word.append((char) ('a' + random.nextInt(26)));
      }
      words[i] = word.append(i % 11 == 0 ? '\n' : ' ').toString().getBytes(StandardCharsets.UTF_8);
    }
    byte[] text = new byte[TEXT_BYTES];
    int at = 0;
    while (at < TEXT_BYTES) {
      byte[] word = words[random.nextInt(1 + random.nextInt(WORDS))];
      int part = Math.min(word.length, TEXT_BYTES - at);
      System.arraycopy(word, 0, text, at, part);
      at += part;
    }
    return text;
  }
}
