package dev.mover.repository.order;

import dev.mover.api.block.BlockId;
import java.nio.ByteBuffer;
import java.util.Comparator;

/**
 * That something needs a slot.
 *
 * @param file where the slot lies: a session's source file, or a point's file (0: its own)
 * @param disk who needs it: the disk
 * @param target and the entry of its map (commit) or its block (reading)
 * @param key number of its key in the table of the file that needs it; 0: not encrypted
 */
public record SlotUse(
    int file, long offset, int storedLength, int disk, long target, BlockId id, int key) {
  static final int BYTES = 56;

  /** A disk is below 256, and a slot's length needs 23 bits. */
  private static final int LENGTH_BITS = 24;

  private static final int LENGTH_MASK = (1 << LENGTH_BITS) - 1;

  /** Physical order; uses of one slot by disk and target. */
  static final Comparator<SlotUse> ORDER =
      Comparator.comparingInt(SlotUse::file)
          .thenComparingLong(SlotUse::offset)
          .thenComparingInt(SlotUse::disk)
          .thenComparingLong(SlotUse::target);

  public boolean isSameSlot(SlotUse other) {
    return file == other.file && offset == other.offset;
  }

  void write(ByteBuffer out) {
    out.putShort((short) file).putShort((short) key).putInt(disk << LENGTH_BITS | storedLength);
    out.putLong(offset).putLong(target);
    id.write(out);
  }

  static SlotUse read(ByteBuffer in) {
    int file = in.getShort() & 0xFFFF;
    int key = in.getShort() & 0xFFFF;
    int both = in.getInt();
    int disk = both >>> LENGTH_BITS;
    int storedLength = both & LENGTH_MASK;
    return new SlotUse(file, in.getLong(), storedLength, disk, in.getLong(), BlockId.read(in), key);
  }
}
