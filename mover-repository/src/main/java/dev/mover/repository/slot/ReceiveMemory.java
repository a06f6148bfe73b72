package dev.mover.repository.slot;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.LimitException;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.memory.BufferSet;
import dev.mover.transport.frame.BulkHeader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The receive buffers of one session: a share for each of its running tasks, as credit in the
 * peer's hands. A share is made of small sets, so that it can follow the number of those that
 * share. The protocol has no way to take credit back, so memory that is no longer due to the
 * session goes home by not being given again: credit for arrived blocks is withheld until a set's
 * worth is together. A quarter of the pool is kept for the first set of every session, so that one
 * with many disks, whose credit comes back only as it sends, does not keep others from beginning.
 * Thread-safe; never blocks.
 */
public final class ReceiveMemory implements AutoCloseable {
  /** A window of one frame would stop the sender while its only frame is being written. */
  private static final int SET_BUFFERS = 2;

  /** One part of so many is for first sets only. */
  private static final int RESERVE = 4;

  private final BufferPool pool;
  private final long costBytes;
  private final long setBytes;
  private final IntSupplier sharers;
  private final List<BufferSet> sets = new ArrayList<>();
  private int tasks;
  private long withheldBytes;

  /**
   * Takes nothing yet.
   *
   * @param sharers how many tasks share the pool, now; asked under locks, so it must take none
   */
  public ReceiveMemory(BufferPool pool, BlockSize blockSize, IntSupplier sharers) {
    this.pool = pool;
    this.costBytes = BulkHeader.cost(blockSize);
    this.setBytes = SET_BUFFERS * costBytes;
    this.sharers = sharers;
  }

  /** Whether even an empty pool could not give the least there is. */
  public boolean canNeverFit() {
    return setBytes > pool.budgetBytes();
  }

  /** Whether the session has memory that its next task could share. */
  synchronized boolean holdsAny() {
    return !sets.isEmpty();
  }

  /** A buffer the caller owns, or null when the session's credit is used up. */
  public synchronized @Nullable BlockBuffer tryTake() {
    for (BufferSet set : sets) {
      BlockBuffer buffer = set.tryTake();
      if (buffer != null) {
        return buffer;
      }
    }
    return null;
  }

  /** A task of the session begins; returns the credit to grant, or −1 when there is no memory. */
  synchronized long beginTask() {
    long credit = 0;
    int due = setsDue(tasks + 1);
    while (sets.size() < due && tryGrow()) {
      credit += setBytes;
    }
    if (sets.isEmpty()) {
      return -1;
    }
    tasks++;
    if (sets.size() <= due) {
      credit += withheldBytes; // it would have gone home, and is due again
      withheldBytes = 0;
    }
    return credit;
  }

  synchronized void endTask() {
    tasks--;
  }

  /**
   * {@code blocks} buffers came back; returns the credit to give for them: less when some of it is
   * withheld, more when the session has less than it is due and there is memory again.
   */
  public synchronized long returnCredit(int blocks) {
    long bytes = blocks * costBytes + withheldBytes;
    int due = setsDue(tasks);
    while (sets.size() > due && bytes >= setBytes) {
      bytes -= setBytes;
      closeOne();
    }
    while (sets.size() < due && tryGrow()) {
      bytes += setBytes;
    }
    withheldBytes = sets.size() > due ? bytes : 0;
    return bytes - withheldBytes;
  }

  /** The one with the fewest buffers lent: the rest of it follows as soon as they come back. */
  private void closeOne() {
    BufferSet idlest = sets.stream().min(Comparator.comparingInt(BufferSet::lent)).orElseThrow();
    sets.remove(idlest);
    idlest.close();
  }

  private int setsDue(int running) {
    long shareBytes = (pool.budgetBytes() - reserveBytes()) / sharers.getAsInt();
    return (int) Math.max(1, running * Math.max(1, shareBytes / setBytes));
  }

  private long reserveBytes() {
    return pool.budgetBytes() / RESERVE;
  }

  /**
   * Gives everything back while the session sends nothing; every buffer must be home. The peer
   * keeps its credit: {@link #tryResume} before anything may be sent again.
   */
  public synchronized int suspend() {
    int count = sets.size();
    close();
    return count;
  }

  /** Gives everything back, and the peer's credit is void: every buffer must be home. */
  public synchronized void giveBack() {
    withheldBytes = 0;
    close();
  }

  /** Takes {@code count} sets again, or nothing and false: others have the memory meanwhile. */
  synchronized boolean tryResume(int count) {
    if (count * setBytes > pool.budgetBytes() - pool.leasedBytes()) {
      return false;
    }
    try {
      for (int i = 0; i < count; i++) {
        sets.add(pool.lease((int) costBytes, SET_BUFFERS, () -> {}));
      }
      return true;
    } catch (LimitException e) {
      close(); // somebody was quicker
      return false;
    }
  }

  private boolean tryGrow() {
    boolean first = sets.isEmpty();
    if (!first && pool.leasedBytes() + setBytes > pool.budgetBytes() - reserveBytes()) {
      return false;
    }
    try {
      sets.add(pool.lease((int) costBytes, SET_BUFFERS, () -> {}));
      return true;
    } catch (LimitException e) {
      return false; // the caller waits in the queue, or goes on with what the session has
    }
  }

  @Override
  public synchronized void close() {
    sets.forEach(BufferSet::close);
    sets.clear();
  }
}
