package dev.mover.api.memory;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Native memory for one block, 4 KiB aligned, lent by a {@link BufferSet}.
 *
 * <p>Ownership: whoever took it owns it until {@link #release}, which must be called exactly once;
 * a second call is an assertion. It may be handed from thread to thread, used by one at a time.
 */
public final class BlockBuffer {
  private final BufferPool.Memory memory;
  private final ByteBuffer bytes;
  private final BufferSet owner;
  private final AtomicBoolean lent = new AtomicBoolean();

  BlockBuffer(BufferPool.Memory memory, BufferSet owner) {
    this.memory = memory;
    this.bytes = memory.segment().asByteBuffer();
    this.owner = owner;
  }

  public int capacity() {
    return bytes.capacity();
  }

  /** The whole memory, for native calls. */
  public MemorySegment segment() {
    return memory.segment();
  }

  /** A fresh big-endian view of the whole memory, position 0, limit = capacity. */
  public ByteBuffer bytes() {
    return bytes.duplicate();
  }

  /** A fresh big-endian view of {@code length} bytes from {@code offset}. */
  public ByteBuffer bytes(int offset, int length) {
    return bytes.slice(offset, length);
  }

  public void release() {
    if (!lent.compareAndSet(true, false)) {
      throw new IllegalStateException("block buffer released twice");
    }
    owner.returned(this);
  }

  void lend() {
    if (!lent.compareAndSet(false, true)) {
      throw new IllegalStateException("block buffer lent twice");
    }
  }

  BufferPool.Memory memory() {
    return memory;
  }
}
