package dev.mover.transport.link;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import dev.mover.api.error.Side;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.memory.BufferSet;
import dev.mover.transport.frame.BulkHeader;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/** A receiver with real buffers that checks each payload against its CRC and gives it back. */
public final class Slots implements BulkReceiver {
  /** Where payloads begin, as in a slot. */
  public static final int OFFSET = 128;

  private final BufferSet buffers;
  private final List<BulkHeader> arrived = new ArrayList<>();
  private int dropped;

  public Slots(BlockSize largest, int count) {
    int bytes = largest.bytes() + BufferPool.ALIGNMENT;
    BufferPool pool = new BufferPool("test", Side.REPOSITORY, (long) bytes * count);
    buffers = pool.lease(bytes, count, () -> {});
  }

  @Override
  public BlockBuffer lend(BulkHeader header) {
    BlockBuffer buffer = buffers.tryTake();
    if (buffer == null) {
      throw new LinkException(
          ErrorCode.PROTOCOL_VIOLATION, "block " + header.block() + " is beyond the credit");
    }
    return buffer;
  }

  @Override
  public int payloadOffset() {
    return OFFSET;
  }

  @Override
  public synchronized void arrived(BulkHeader header, BlockBuffer buffer) {
    CRC32C crc = new CRC32C();
    crc.update(buffer.bytes(OFFSET, header.payloadLength()));
    buffer.release();
    if ((int) crc.getValue() != header.payloadCrc()) {
      throw new AssertionError("block " + header.block() + " was damaged on its way");
    }
    arrived.add(header);
    notifyAll();
  }

  @Override
  public synchronized void dropped(BlockBuffer buffer) {
    buffer.release();
    dropped++;
    notifyAll();
  }

  public int lent() {
    return buffers.lent();
  }

  public synchronized List<BulkHeader> arrived(int count) {
    Waiting.on(this, Duration.ofSeconds(30), () -> arrived.size() >= count);
    return List.copyOf(arrived);
  }

  /** Waits until so many buffers came back without their payload. */
  public synchronized void awaitDropped(int count) {
    Waiting.on(this, Duration.ofSeconds(20), () -> dropped >= count);
  }

  /** A header that tells the truth about {@code payload}. */
  public static BulkHeader header(BulkHeader.Kind kind, long block, ByteBuffer payload) {
    CRC32C crc = new CRC32C();
    crc.update(payload.duplicate());
    return new BulkHeader(
        kind,
        0,
        block,
        new dev.mover.api.block.BlockId(block, 1, 2, 3),
        dev.mover.api.block.Codec.RAW,
        payload.remaining(),
        payload.remaining(),
        (int) crc.getValue(),
        dev.mover.api.block.Envelope.NONE);
  }
}
