package dev.mover.repository.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.random.RandomGenerator;

/** Turns a backup file into one that somebody made up: its checksums are right. */
public final class HostilePages {
  private static final long[] ODD = {
    0,
    1,
    -1,
    2,
    255,
    256,
    4095,
    4096,
    65535,
    1L << 31,
    1L << 32,
    1L << 62,
    Long.MAX_VALUE,
    Long.MIN_VALUE
  };

  private HostilePages() {}

  /** Changes a few fields of the tables, the maps, the superblock or the footer. */
  public static void change(Path path, RandomGenerator random) throws IOException {
    ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(path));
    Footer footer = Footer.read(file, file.capacity() - Page.BYTES).orElseThrow();
    int pages = (int) (footer.metadataBytes() / Page.BYTES);
    for (int times = 1 + random.nextInt(3); times > 0; times--) {
      if (random.nextInt(4) == 0) {
        changeFooter(file, random);
      } else {
        int page = random.nextInt(pages) * Page.BYTES;
        int first = (int) footer.metadata1() + page;
        changeFields(file, first + 4, Page.BYTES - 4, random);
        file.putInt(first, Page.crc(file.slice(first + 4, Page.BYTES - 4)));
        file.put((int) footer.metadata2() + page, file, first, Page.BYTES);
      }
    }
    Files.write(path, file.array());
  }

  private static void changeFooter(ByteBuffer file, RandomGenerator random) {
    int at = file.capacity() - Page.BYTES;
    int crcAt = Footer.BYTES - 4;
    changeFields(file, at + 8, crcAt - 8, random);
    file.putInt(at + crcAt, Page.crc(file.slice(at, crcAt)));
    file.put(Superblock.FOOTER_AT, file, at, Footer.BYTES);
  }

  private static void changeFields(ByteBuffer file, int from, int length, RandomGenerator random) {
    for (int times = 1 + random.nextInt(3); times > 0; times--) {
      int width = 1 << random.nextInt(4);
      // Most fields lie in front, the rest is mostly zeros.
      int room = random.nextBoolean() ? Math.min(length, 512) : length;
      int at = from + random.nextInt((room - width) / width) * width;
      long value =
          random.nextInt(3) == 0
              ? random.nextLong()
              : ODD[random.nextInt(ODD.length)] + (random.nextInt(4) == 0 ? file.get(at) : 0);
      switch (width) {
        case 1 -> file.put(at, (byte) value);
        case 2 -> file.putShort(at, (short) value);
        case 4 -> file.putInt(at, (int) value);
        default -> file.putLong(at, value);
      }
    }
  }
}
