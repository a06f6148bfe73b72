package dev.mover.repository.file;

import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * An earlier backup file of the same machine whose slots this one uses, where the file system can't
 * clone: 48 bytes, big-endian, 85 a page. The ranges are the bitmap of its used slots, run-length
 * coded in bytes: 16 bytes each (u64 offset, u64 length), ascending, 255 a page.
 *
 * <pre>
 * 0   16B file id
 * 16  u64 sequence (with the file id it gives the file's name)
 * 24  u64 first range, index in the range table
 * 32  u64 ranges
 * 40  u64 bytes used, all ranges together
 * </pre>
 */
public record FileRecord(UUID fileId, long sequence, long firstRange, long ranges, long usedBytes) {
  static final int BYTES = 48;
  static final int PER_PAGE = Page.ROOM / BYTES;
  static final int RANGE_BYTES = 16;
  static final int RANGES_PER_PAGE = Page.ROOM / RANGE_BYTES;

  /**
   * Whether the point needs the file. A session numbers files as it meets them, and may link to
   * nothing in one after all, or copy what it has: then the file may be gone.
   */
  public boolean isUsed() {
    return ranges > 0;
  }

  /** Whether its ranges lie in a table of so many pages; what they add up to is checked later. */
  boolean fits(long rangePages) {
    long most = rangePages * RANGES_PER_PAGE;
    return firstRange >= 0
        && ranges >= 0
        && ranges <= most
        && firstRange <= most - ranges
        && usedBytes >= 0;
  }

  void write(ByteBuffer out) {
    Footer.putUuid(out, fileId);
    out.putLong(sequence).putLong(firstRange).putLong(ranges).putLong(usedBytes);
  }

  static FileRecord read(ByteBuffer in) {
    return new FileRecord(Footer.uuid(in), in.getLong(), in.getLong(), in.getLong(), in.getLong());
  }
}
