package dev.mover.repository.serve;

import dev.mover.api.block.BlockId;
import dev.mover.api.error.DataException;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.Side;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferSet;
import dev.mover.dedup.codec.BlockCodec;
import dev.mover.dedup.digest.BlockDigest;
import dev.mover.repository.file.SlotHeader;
import dev.mover.repository.order.SlotUse;
import java.util.Objects;

/** What one slot at a time needs to be read, unpacked and hashed. One thread at a time; blocks. */
final class SlotDesk implements AutoCloseable {
  private final BlockBuffer slot;
  private final BlockBuffer plain;
  private final BlockCodec codec;
  private final BlockDigest digest = new BlockDigest();

  /** Takes two buffers of {@code memory}; they go back on close. */
  SlotDesk(BufferSet memory, BlockCodec codec) {
    this.slot = take(memory);
    this.plain = take(memory);
    this.codec = codec;
  }

  private static BlockBuffer take(BufferSet memory) {
    return Objects.requireNonNull(memory.tryTake(), "a fresh lease has buffers");
  }

  BlockBuffer slot() {
    return slot;
  }

  /**
   * Reads, unpacks and hashes. Of an encrypted slot only what can be told without its key is
   * checked: the checksums of what is stored, and that it is the slot the map means.
   *
   * @throws DataException BLOCK_DAMAGED when the content hasn't the id it should have
   */
  SlotHeader look(SlotReader reader, OpenPoint point, SlotUse use) {
    SlotHeader header = reader.read(use, slot);
    if (!header.envelope().isNone()) {
      return header;
    }
    codec.unpack(
        header.codec(),
        slot.bytes(SlotHeader.BYTES, header.payloadLength()),
        plain.bytes(),
        header.plainLength());
    BlockId id = digest.id(plain.bytes(0, header.plainLength()));
    if (!id.equals(use.id())) {
      throw new DataException(
          ErrorCode.BLOCK_DAMAGED,
          Side.REPOSITORY,
          "block %d of disk %s in %s: the content has id %s, not %s"
              .formatted(
                  use.target(),
                  point.disk(use.disk()).spec().name(),
                  point.file().path(),
                  id,
                  use.id()));
    }
    return header;
  }

  @Override
  public void close() {
    slot.release();
    plain.release();
    codec.close();
  }
}
