package dev.mover.repository.file;

import dev.mover.api.block.BlockId;
import java.nio.ByteBuffer;

/**
 * One entry of a disk's map, 48 bytes, big-endian; the entries of a disk cover its blocks in order
 * without a gap.
 *
 * <pre>
 * 0   u8  kind: 0 zero run, 1 slot
 * 1   u8  key, high byte: 0 not encrypted, else number in the key table
 * 2   u16 file: 0 this file, else 1 + index in the file table
 * 4   u8  key, low byte
 * 5   u24 stored length (header and payload); 0 for zeros
 * 8   u64 slot's offset in the file, or how many zero blocks
 * 16  32B block id; zeros for zeros
 * </pre>
 */
public sealed interface MapEntry {
  int BYTES = 48;
  int PER_PAGE = Page.ROOM / BYTES;

  /** Most files an entry can name. */
  int MAX_FILES = 0xFFFF;

  /** A slot of the largest block has a length of 23 bits. */
  int LENGTH_BITS = 24;

  int LENGTH_MASK = (1 << LENGTH_BITS) - 1;

  /** How many blocks the entry covers. */
  long blocks();

  /** Writes at the buffer's position and moves it. */
  void write(ByteBuffer out);

  /** {@code blocks} blocks of zeros; a hole of any size is one entry. */
  record Zeros(long blocks) implements MapEntry {
    @Override
    public void write(ByteBuffer out) {
      out.putLong(0).putLong(blocks).putLong(0).putLong(0).putLong(0).putLong(0);
    }
  }

  /**
   * One block's slot.
   *
   * @param offset 0 only in an open map: the slot is not written yet
   * @param key of the payload, in this file's table; 0: not encrypted
   */
  record Slot(int file, int storedLength, long offset, BlockId id, int key) implements MapEntry {
    @Override
    public long blocks() {
      return 1;
    }

    @Override
    public void write(ByteBuffer out) {
      out.put((byte) 1).put((byte) (key >>> Byte.SIZE)).putShort((short) file);
      out.putInt(key << LENGTH_BITS | storedLength).putLong(offset);
      id.write(out);
    }

    public boolean isPending() {
      return offset == 0;
    }

    /** The same block, in another place. */
    public Slot at(int newFile, int newStoredLength, long newOffset, int newKey) {
      return new Slot(newFile, newStoredLength, newOffset, id, newKey);
    }
  }

  /** Whether {@link #read} knows what is at the buffer's position. */
  static boolean isKnown(ByteBuffer in) {
    int kind = in.get(in.position());
    return kind == 0 || kind == 1;
  }

  /** Reads at the buffer's position and moves it; the bytes are ones we wrote and checked. */
  static MapEntry read(ByteBuffer in) {
    int kind = in.get();
    int keyHigh = in.get() & 0xFF;
    int file = in.getShort() & 0xFFFF;
    int both = in.getInt();
    int key = keyHigh << Byte.SIZE | both >>> LENGTH_BITS;
    int storedLength = both & LENGTH_MASK;
    long value = in.getLong();
    BlockId id = BlockId.read(in);
    return kind == 0 ? new Zeros(value) : new Slot(file, storedLength, value, id, key);
  }
}
