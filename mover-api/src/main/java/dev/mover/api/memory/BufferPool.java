package dev.mover.api.memory;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LimitException;
import dev.mover.api.error.Side;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A budget of native memory in bytes, leased in sets of equal buffers. Memory that comes back is
 * kept for the next lease of the same size and freed at once when another size needs the room, so
 * the pool never holds more than its budget. Thread-safe.
 *
 * <p>Each buffer is an arena of its own and not a {@code ByteBuffer.allocateDirect}: that one is
 * freed by the collector only, and waits for the collector when it runs short.
 */
public final class BufferPool implements AutoCloseable {
  /** Direct I/O needs memory aligned to the logical sector; a page serves every device. */
  public static final int ALIGNMENT = 4096;

  private final String name;
  private final Side side;
  private final long budgetBytes;
  private final Map<Integer, Deque<Memory>> idle = new HashMap<>();
  private long leasedBytes;
  private long idleBytes;
  private boolean closed;

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
   *     system has less memory than the budget says; nothing is leased then
   */
  public BufferSet lease(int bufferBytes, int count, Runnable onReturn) {
    int rounded = Math.ceilDiv(bufferBytes, ALIGNMENT) * ALIGNMENT;
    List<Memory> memory = new ArrayList<>(count);
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
      Deque<Memory> ready = idle.getOrDefault(rounded, new ArrayDeque<>());
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
  private void allocate(List<Memory> memory, int bufferBytes, int count) {
    try {
      while (memory.size() < count) {
        memory.add(Memory.allocate(bufferBytes));
      }
    } catch (OutOfMemoryError e) {
      synchronized (this) {
        leasedBytes -= (long) bufferBytes * (count - memory.size());
      }
      giveBack(bufferBytes, memory);
      throw new LimitException(
          ErrorCode.OUT_OF_MEMORY_BUDGET,
          side,
          "%s: the system has no memory left below the budget of %d bytes; use fewer task slots"
              .formatted(name, budgetBytes),
          e);
    }
  }

  synchronized void giveBack(int bufferBytes, List<Memory> memory) {
    long bytes = (long) bufferBytes * memory.size();
    leasedBytes -= bytes;
    idleBytes += bytes;
    idle.computeIfAbsent(bufferBytes, size -> new ArrayDeque<>()).addAll(memory);
    dropIdleBeyondBudget();
  }

  /** Frees what is idle, and what is still lent as soon as it comes back. */
  @Override
  public synchronized void close() {
    closed = true;
    dropIdleBeyondBudget();
  }

  private void dropIdleBeyondBudget() {
    long roomBytes = closed ? 0 : budgetBytes - leasedBytes;
    for (Map.Entry<Integer, Deque<Memory>> size : idle.entrySet()) {
      while (idleBytes > roomBytes && !size.getValue().isEmpty()) {
        size.getValue().pop().arena().close();
        idleBytes -= size.getKey();
      }
    }
  }

  /** One buffer's native memory; its arena is closed by this pool only. */
  record Memory(Arena arena, MemorySegment segment) {
    @SuppressWarnings("MustBeClosed") // lives as long as the pool keeps it
    static Memory allocate(int bytes) {
      Arena arena = Arena.ofShared();
      try {
        return new Memory(arena, arena.allocate(bytes, ALIGNMENT));
      } catch (OutOfMemoryError e) {
        arena.close();
        throw e;
      }
    }
  }
}
