package dev.mover.api.memory;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LimitException;
import dev.mover.api.error.Side;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A budget of native memory in bytes, leased in sets of equal buffers. Memory that comes back is
 * kept for the next lease of the same size and dropped (for the garbage collector) when another
 * size needs the room, so the pool never holds more than its budget plus what the collector has not
 * yet freed. Thread-safe.
 */
public final class BufferPool {
  /** Direct I/O needs memory aligned to the logical sector; a page serves every device. */
  public static final int ALIGNMENT = 4096;

  private final String name;
  private final Side side;
  private final long budgetBytes;
  private final Map<Integer, Deque<ByteBuffer>> idle = new HashMap<>();
  private long leasedBytes;
  private long idleBytes;

  public BufferPool(String name, Side side, long budgetBytes) {
    this.name = name;
    this.side = side;
    this.budgetBytes = budgetBytes;
  }

  public long budgetBytes() {
    return budgetBytes;
  }

  public synchronized long leasedBytes() {
    return leasedBytes;
  }

  /**
   * Leases {@code count} buffers of {@code bufferBytes} (rounded up to {@link #ALIGNMENT}).
   *
   * <p>Their content is whatever it was before.
   *
   * @param onReturn called after each buffer that comes back, on the returning thread; must not
   *     block
   * @throws LimitException with OUT_OF_MEMORY_BUDGET when the lease would pass the budget, or the
   *     JVM has less native memory than the budget says; nothing is leased then
   */
  public BufferSet lease(int bufferBytes, int count, Runnable onReturn) {
    int rounded = Math.ceilDiv(bufferBytes, ALIGNMENT) * ALIGNMENT;
    List<ByteBuffer> memory = new ArrayList<>(count);
    synchronized (this) {
      long bytes = (long) rounded * count;
      if (leasedBytes + bytes > budgetBytes) {
        throw new LimitException(
            ErrorCode.OUT_OF_MEMORY_BUDGET,
            side,
            "%s: %d bytes of %d are in use, %d more do not fit; use fewer task slots or smaller blocks"
                .formatted(name, leasedBytes, budgetBytes, bytes));
      }
      leasedBytes += bytes;
      Deque<ByteBuffer> ready = idle.getOrDefault(rounded, new ArrayDeque<>());
      while (memory.size() < count && !ready.isEmpty()) {
        memory.add(ready.pop());
        idleBytes -= rounded;
      }
      dropIdleBeyondBudget();
    }
    allocate(memory, rounded, count);
    BufferSet set = new BufferSet(this, rounded, count, onReturn);
    set.fill(memory);
    return set;
  }

  /** Tops {@code memory} up to {@code count} buffers, outside the lock: the kernel clears pages. */
  private void allocate(List<ByteBuffer> memory, int bufferBytes, int count) {
    try {
      while (memory.size() < count) {
        memory.add(
            ByteBuffer.allocateDirect(bufferBytes + ALIGNMENT)
                .alignedSlice(ALIGNMENT)
                .slice(0, bufferBytes));
      }
    } catch (OutOfMemoryError e) {
      synchronized (this) {
        leasedBytes -= (long) bufferBytes * (count - memory.size());
      }
      giveBack(bufferBytes, memory);
      throw new LimitException(
          ErrorCode.OUT_OF_MEMORY_BUDGET,
          side,
          "%s: the JVM has no native memory left below the budget of %d bytes; raise -XX:MaxDirectMemorySize"
              .formatted(name, budgetBytes),
          e);
    }
  }

  synchronized void giveBack(int bufferBytes, List<ByteBuffer> memory) {
    long bytes = (long) bufferBytes * memory.size();
    leasedBytes -= bytes;
    idleBytes += bytes;
    idle.computeIfAbsent(bufferBytes, size -> new ArrayDeque<>()).addAll(memory);
    dropIdleBeyondBudget();
  }

  private void dropIdleBeyondBudget() {
    for (Map.Entry<Integer, Deque<ByteBuffer>> size : idle.entrySet()) {
      while (leasedBytes + idleBytes > budgetBytes && !size.getValue().isEmpty()) {
        size.getValue().pop();
        idleBytes -= size.getKey();
      }
    }
  }
}
