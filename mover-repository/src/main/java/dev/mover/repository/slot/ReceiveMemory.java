package dev.mover.repository.slot;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.LimitException;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.memory.BufferSet;
import dev.mover.transport.frame.BulkHeader;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The receive buffers of one session: one share for each of its running tasks, as credit in the
 * peer's hands. The protocol has no way to take credit back, so a share that is no longer needed
 * goes home by not being given again: credit for arrived blocks is withheld until a share's worth
 * is together. Thread-safe; never blocks.
 */
public final class ReceiveMemory implements AutoCloseable {
  /** A window of one frame would stop the sender while its only frame is being written. */
  private static final int LEAST_BUFFERS = 2;

  private final BufferPool pool;
  private final long costBytes;
  private final int shareBuffers;
  private final List<BufferSet> shares = new ArrayList<>();
  private int tasks;
  private long withheldBytes;

  public ReceiveMemory(BufferPool pool, BlockSize blockSize, long shareBytes) {
    this.pool = pool;
    this.costBytes = BulkHeader.cost(blockSize);
    this.shareBuffers = (int) Math.max(LEAST_BUFFERS, shareBytes / costBytes);
  }

  /** Whether even an empty pool could not give a share. */
  public boolean canNeverFit() {
    return shareBuffers * costBytes > pool.budgetBytes();
  }

  /** A buffer the caller owns, or null when the session's credit is used up. */
  public synchronized @Nullable BlockBuffer tryTake() {
    for (BufferSet share : shares) {
      BlockBuffer buffer = share.tryTake();
      if (buffer != null) {
        return buffer;
      }
    }
    return null;
  }

  /** A task of the session begins; returns the credit to grant, or −1 when there is no memory. */
  synchronized long beginTask() {
    long credit = 0;
    if (shares.size() > tasks) {
      credit = withheldBytes; // a share of an ended task that did not go home yet
      withheldBytes = 0;
    } else if (tryGrow()) {
      credit = shareBuffers * costBytes;
    } else if (shares.isEmpty()) {
      return -1;
    }
    tasks++;
    return credit;
  }

  synchronized void endTask() {
    tasks--;
  }

  /** {@code blocks} buffers came back; returns the credit to give for them, 0 when withheld. */
  public synchronized long returnCredit(int blocks) {
    long bytes = blocks * costBytes;
    if (shares.size() <= Math.max(1, tasks)) {
      return bytes;
    }
    long share = shareBuffers * costBytes;
    long kept = Math.min(bytes, share - withheldBytes);
    withheldBytes += kept;
    if (withheldBytes == share) {
      withheldBytes = 0;
      shares.removeLast().close();
    }
    return bytes - kept;
  }

  /**
   * Gives all shares back while the session sends nothing; every buffer must be home. The peer
   * keeps its credit: {@link #resume} before anything may be sent again.
   */
  public synchronized int suspend() {
    int count = shares.size();
    close();
    return count;
  }

  /**
   * Takes {@code count} shares again.
   *
   * @throws LimitException OUT_OF_MEMORY_BUDGET when others have the memory meanwhile
   */
  public synchronized void resume(int count) {
    for (int i = 0; i < count; i++) {
      shares.add(pool.lease((int) costBytes, shareBuffers, () -> {}));
    }
  }

  private boolean tryGrow() {
    try {
      shares.add(pool.lease((int) costBytes, shareBuffers, () -> {}));
      return true;
    } catch (LimitException e) {
      return false; // the caller waits in the queue, or goes on with what the session has
    }
  }

  @Override
  public synchronized void close() {
    shares.forEach(BufferSet::close);
    shares.clear();
  }
}
