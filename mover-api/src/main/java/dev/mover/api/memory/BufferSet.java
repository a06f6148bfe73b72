package dev.mover.api.memory;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A fixed number of equal {@link BlockBuffer}s for one holder (a task, a session), out of a {@link
 * BufferPool}. Taking never waits: an empty set is back-pressure, and the listener is told when a
 * buffer comes back. Thread-safe.
 *
 * <p>{@link #close} may be called while buffers are still lent (a link that dies in mid-frame): the
 * memory goes back to the pool only when the last of them is released.
 */
public final class BufferSet implements AutoCloseable {
  private final BufferPool pool;
  private final int bufferBytes;
  private final int count;
  private final Deque<BlockBuffer> free = new ArrayDeque<>();
  private final Runnable onReturn;
  private boolean closed;

  BufferSet(BufferPool pool, int bufferBytes, int count, Runnable onReturn) {
    this.pool = pool;
    this.bufferBytes = bufferBytes;
    this.count = count;
    this.onReturn = onReturn;
  }

  void fill(List<BufferPool.Memory> memory) {
    memory.forEach(m -> free.push(new BlockBuffer(m, this)));
  }

  public int count() {
    return count;
  }

  public int bufferBytes() {
    return bufferBytes;
  }

  /** A buffer the caller now owns, or null when all are lent or the set is closed. */
  public synchronized @Nullable BlockBuffer tryTake() {
    BlockBuffer buffer = closed ? null : free.poll();
    if (buffer != null) {
      buffer.lend();
    }
    return buffer;
  }

  /** How many are lent now. */
  public synchronized int lent() {
    return count - free.size();
  }

  void returned(BlockBuffer buffer) {
    boolean last;
    synchronized (this) {
      free.push(buffer); // last in, first out: warm in the cache
      last = closed && free.size() == count;
    }
    if (last) {
      giveBack();
    } else {
      onReturn.run();
    }
  }

  @Override
  public void close() {
    boolean last;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      last = free.size() == count;
    }
    if (last) {
      giveBack();
    }
  }

  private void giveBack() {
    List<BufferPool.Memory> memory = new ArrayList<>(count);
    free.forEach(b -> memory.add(b.memory()));
    pool.giveBack(bufferBytes, memory);
  }
}
