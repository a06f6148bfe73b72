package dev.mover.repository.session;

import dev.mover.api.status.StageClock;
import dev.mover.api.status.StageClock.State;
import dev.mover.api.status.StageFigures;
import dev.mover.transport.frame.TargetFigures;

/**
 * Where a session's time goes on this side: busy while a slot is being written or a checkpoint
 * makes slots durable, otherwise waiting for blocks. Any thread.
 */
final class TargetTimes {
  private final StageClock clock = new StageClock();
  private int writes;
  private boolean syncing;
  private long syncNs;
  private long syncSinceNs;
  private long bytes;

  /** The first task streams. */
  synchronized void begin() {
    observe();
  }

  synchronized void writeBegins() {
    writes++;
    observe();
  }

  synchronized void writeEnds(long writtenBytes) {
    writes--;
    bytes += writtenBytes;
    observe();
  }

  synchronized void syncBegins() {
    syncing = true;
    syncSinceNs = System.nanoTime();
    observe();
  }

  synchronized void syncEnds() {
    syncing = false;
    syncNs += System.nanoTime() - syncSinceNs;
    observe();
  }

  /** No block comes any more: COMMIT is not part of the transfer. */
  synchronized void end() {
    clock.set(State.STOPPED, System.nanoTime());
  }

  private void observe() {
    clock.set(writes > 0 || syncing ? State.BUSY : State.INPUT_WAIT, System.nanoTime());
  }

  synchronized TargetFigures figures() {
    StageFigures now = clock.figures(bytes, System.nanoTime());
    return new TargetFigures(now.busyNs(), now.inputWaitNs(), syncNs, bytes);
  }
}
