package dev.mover.repository.file;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A 4 KiB page of metadata, big-endian:
 *
 * <pre>
 * 0   u32 CRC32C of bytes 4…4095
 * 4   u16 entry count
 * 6   u16 kind: the disk's index for a map page, or one of the kinds below
 * 8   u64 first: block of a map page's first entry, index of a table page's first record
 * 16  entries, all of one length, zeros after the last
 * </pre>
 */
public final class Page {
  public static final int BYTES = 4096;
  public static final int HEADER_BYTES = 16;
  public static final int ROOM = BYTES - HEADER_BYTES;

  static final int KIND_DISKS = 0xFFFF;
  static final int KIND_FILES = 0xFFFE;
  static final int KIND_RANGES = 0xFFFD;
  static final int KIND_KEYS = 0xFFFC;

  private Page() {}

  /** Writes header and checksum of a page that begins at {@code at}; entries are in place. */
  static void seal(ByteBuffer buffer, int at, int count, int kind, long first) {
    buffer.putShort(at + 4, (short) count);
    buffer.putShort(at + 6, (short) kind);
    buffer.putLong(at + 8, first);
    buffer.putInt(at, crc(buffer.slice(at + 4, BYTES - 4)));
  }

  static boolean isSound(ByteBuffer page) {
    return page.getInt(0) == crc(page.slice(4, BYTES - 4));
  }

  static int count(ByteBuffer page) {
    return page.getShort(4) & 0xFFFF;
  }

  static int kind(ByteBuffer page) {
    return page.getShort(6) & 0xFFFF;
  }

  static long first(ByteBuffer page) {
    return page.getLong(8);
  }

  /** CRC32C of the remaining bytes, which are left as they were. */
  public static int crc(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate());
    return (int) crc.getValue();
  }
}
