package dev.mover.api.block;

import java.util.Arrays;
import java.util.Optional;

/**
 * The four sizes a disk may be cut into. Blocks lie on absolute multiples of the size; only the
 * last block of a disk may be shorter.
 */
public enum BlockSize {
  KIB_256(256 << 10),
  KIB_512(512 << 10),
  MIB_1(1 << 20),
  MIB_4(4 << 20);

  public static final BlockSize DEFAULT = MIB_1;

  /** The largest block there is; bounds every payload on the wire and in a file. */
  public static final int MAX_BYTES = 4 << 20;

  private final int bytes;

  BlockSize(int bytes) {
    this.bytes = bytes;
  }

  public int bytes() {
    return bytes;
  }

  /** How many blocks a disk of {@code sizeBytes} has, its short last one included. */
  public long count(long sizeBytes) {
    return sizeBytes / bytes + (sizeBytes % bytes == 0 ? 0 : 1);
  }

  /** Plain length of block {@code index} of a disk of {@code sizeBytes}. */
  public int lengthAt(long index, long sizeBytes) {
    return (int) Math.min(bytes, sizeBytes - index * bytes);
  }

  public static Optional<BlockSize> ofBytes(long bytes) {
    return Arrays.stream(values()).filter(s -> s.bytes == bytes).findFirst();
  }

  /** The form used on the command line: {@code 256K}, {@code 512K}, {@code 1M}, {@code 4M}. */
  public String label() {
    return bytes >= 1 << 20 ? (bytes >> 20) + "M" : (bytes >> 10) + "K";
  }
}
