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
 */
public record SlotUse(int file, long offset, int storedLength, int disk, long target, BlockId id) {
  static final int BYTES = 56;

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
    out.putShort((short) file).putShort((short) disk).putInt(storedLength);
    out.putLong(offset).putLong(target);
    id.write(out);
  }

  static SlotUse read(ByteBuffer in) {
    int file = in.getShort() & 0xFFFF;
    int disk = in.getShort() & 0xFFFF;
    int storedLength = in.getInt();
    return new SlotUse(file, in.getLong(), storedLength, disk, in.getLong(), BlockId.read(in));
  }
}
