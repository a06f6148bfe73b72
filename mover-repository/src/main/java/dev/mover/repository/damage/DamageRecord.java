package dev.mover.repository.damage;

import dev.mover.api.block.BlockId;
import dev.mover.repository.file.Page;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.UUID;

/**
 * A record of the file {@code damaged}: 64 bytes, big-endian.
 *
 * <pre>
 * 0   u32 magic "MDMG"
 * 4   u8  kind: 1 a block is damaged, 2 a session opened, 3 every block counts as damaged
 * 5   3B  0
 * 8   16B file id: where the block was found damaged, or the session's; of kind 3 zeros
 * 24  32B block id; of kind 2 and 3 zeros
 * 56  u32 0
 * 60  u32 CRC32C of bytes 0…59
 * </pre>
 */
record DamageRecord(Kind kind, UUID fileId, BlockId id) {
  static final int BYTES = 64;

  private static final int MAGIC = 0x4D444D47;
  private static final int CRC_AT = 60;
  private static final UUID NO_FILE = new UUID(0, 0);
  private static final BlockId NO_BLOCK = new BlockId(0, 0, 0, 0);

  enum Kind {
    DAMAGED(1),
    OPENED(2),
    EVERYTHING(3);

    private final int number;

    Kind(int number) {
      this.number = number;
    }

    static Optional<Kind> of(int number) {
      return java.util.Arrays.stream(values()).filter(k -> k.number == number).findFirst();
    }
  }

  static DamageRecord damaged(BlockId id, UUID fileId) {
    return new DamageRecord(Kind.DAMAGED, fileId, id);
  }

  static DamageRecord opened(UUID fileId) {
    return new DamageRecord(Kind.OPENED, fileId, NO_BLOCK);
  }

  static DamageRecord everything() {
    return new DamageRecord(Kind.EVERYTHING, NO_FILE, NO_BLOCK);
  }

  /** Writes {@link #BYTES} bytes at the buffer's position and moves it. */
  void write(ByteBuffer out) {
    ByteBuffer b = out.slice(out.position(), BYTES);
    b.putInt(MAGIC).put((byte) kind.number).put(new byte[3]);
    b.putLong(fileId.getMostSignificantBits()).putLong(fileId.getLeastSignificantBits());
    id.write(b);
    b.putInt(0);
    b.putInt(Page.crc(b.slice(0, CRC_AT)));
    out.position(out.position() + BYTES);
  }

  /** The record at the buffer's position, which moves behind it; nothing when it is damaged. */
  static Optional<DamageRecord> read(ByteBuffer in) {
    ByteBuffer b = in.slice(in.position(), BYTES);
    in.position(in.position() + BYTES);
    if (b.getInt(0) != MAGIC || b.getInt(CRC_AT) != Page.crc(b.slice(0, CRC_AT))) {
      return Optional.empty();
    }
    UUID file = new UUID(b.getLong(8), b.getLong(16));
    BlockId block = BlockId.read(b.slice(24, BlockId.BYTES));
    return Kind.of(b.get(4)).map(kind -> new DamageRecord(kind, file, block));
  }
}
