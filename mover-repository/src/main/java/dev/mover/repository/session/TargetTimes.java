package dev.mover.repository.session;

import dev.mover.api.status.StageClock;
import dev.mover.api.status.StageClock.State;
import dev.mover.api.status.StageFigures;
import dev.mover.transport.frame.TargetFigures;

/**
 * Where a session's time goes on this side: busy from the moment a slot is queued to be written
 * until it is, and while a checkpoint makes slots durable; otherwise waiting for blocks. Any
 * thread.
 *
 * <p>Below a rate limit an extent is as busy as the limit is used: it counts no less than the time
 * its bytes take at that rate, so that the load line shows how near the limit is.
 */
final class TargetTimes {
  private final StageClock clock = new StageClock();
  private final StageClock held = new StageClock();
  private int writes;
  private int limited;
  private boolean syncing;
  private long bytes;
  private long atLimitNs;
  private long idleNs;

  /** The first task streams. */
  synchronized void begin() {
    observe();
  }

  synchronized void writeBegins() {
    writes++;
    observe();
  }

  /**
   * A slot is written, or failed to be.
   *
   * @param limitNs what its bytes take at the extent's limit
   */
  synchronized void writeEnds(long writtenBytes, long limitNs) {
    writes--;
    bytes += writtenBytes;
    atLimitNs += limitNs;
    observe();
  }

  /** A slot that is being written waits for the extent's rate limit. */
  synchronized void limitBegins() {
    limited++;
    observe();
  }

  synchronized void limitEnds() {
    limited--;
    observe();
  }

  synchronized void syncBegins() {
    syncing = true;
    observe();
  }

  synchronized void syncEnds() {
    syncing = false;
    observe();
  }

  /** No block comes any more: COMMIT is not part of the transfer. */
  synchronized void end() {
    long now = System.nanoTime();
    clock.set(State.STOPPED, now);
    held.set(State.STOPPED, now);
  }

  private void observe() {
    long now = System.nanoTime();
    clock.set(writes > 0 || syncing ? State.BUSY : State.INPUT_WAIT, now);
    held.set(limited > 0 || syncing ? State.BUSY : State.STOPPED, now);
  }

  synchronized TargetFigures figures() {
    long now = System.nanoTime();
    StageFigures seen = clock.figures(bytes, now);
    long ranNs = seen.busyNs() + seen.inputWaitNs();
    idleNs = Math.max(idleNs, ranNs - Math.max(seen.busyNs(), atLimitNs)); // what was told stays
    return new TargetFigures(ranNs - idleNs, idleNs, held.figures(0, now).busyNs(), bytes);
  }
}
