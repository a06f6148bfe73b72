package dev.mover.proxy.pipeline;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LimitException;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What guards one session and all its tasks, and what they wait on for news. Held for moments only,
 * never over I/O or CPU work.
 *
 * <p>The first failure, from wherever, ends the session: it is sent to the repository as ABORT and
 * wakes everybody.
 */
final class SessionMonitor {
  private static final Logger log = LoggerFactory.getLogger(SessionMonitor.class);

  private final SessionLink link;
  private volatile @Nullable MoverException failure;
  private boolean settled;
  private long newsNs = System.nanoTime();
  private int reads;

  SessionMonitor(SessionLink link) {
    this.link = link;
  }

  boolean failed() {
    return failure != null;
  }

  /** Why the session failed; null: it has not. */
  @Nullable MoverException failure() {
    return failure;
  }

  /** Throws the session's failure, if there is one. */
  void check() {
    MoverException failed = failure;
    if (failed != null) {
      throw failed;
    }
  }

  synchronized boolean isSettled() {
    return settled;
  }

  /** Something may have changed for whoever waits. */
  synchronized void wake() {
    notifyAll();
  }

  /** With the monitor held: something came of what the session waits for. */
  void news() {
    newsNs = System.nanoTime();
  }

  /** With the monitor held: how long ago that was. */
  long quietNs() {
    return System.nanoTime() - newsNs;
  }

  synchronized void readBegins() {
    reads++;
  }

  synchronized void readEnds() {
    reads--;
    news();
  }

  /** With the monitor held: reads of disks under way. */
  int reads() {
    return reads;
  }

  /** From here on nothing can fail the session any more: its point is committed. */
  synchronized void settle() {
    settled = true;
  }

  /** Records the first failure and ends the session; returns the one that counts. */
  MoverException fail(Throwable error) {
    return failUnless(() -> settled, error);
  }

  /** As {@link #fail}, if it does not come too late; that is asked with the monitor held. */
  MoverException failUnless(BooleanSupplier tooLate, Throwable error) {
    MoverException cause = known(error);
    synchronized (this) {
      MoverException first = failure;
      if (first != null) {
        return first;
      }
      if (tooLate.getAsBoolean()) {
        return cause;
      }
      failure = cause;
      notifyAll();
    }
    link.abort(cause);
    return cause;
  }

  static MoverException known(Throwable error) {
    if (error instanceof MoverException e) {
      return e;
    }
    log.error("a backup fails of an internal error", error);
    return MoverException.of(
        ErrorCode.INTERNAL, Side.PROXY, "internal error, please report it: " + error, error);
  }

  static LimitException cancelled(@Nullable InterruptedException e) {
    return new LimitException(ErrorCode.CANCELLED, Side.PROXY, "the backup was cancelled", e);
  }

  /** Waits until {@code condition} (read under the lock) holds; throws when the session failed. */
  void await(BooleanSupplier condition) {
    awaitValue(() -> condition.getAsBoolean() ? this : null);
  }

  BlockBuffer awaitBuffer(BufferSet buffers) {
    return awaitValue(buffers::tryTake);
  }

  private synchronized <T> T awaitValue(Supplier<@Nullable T> source) {
    T value;
    check();
    while ((value = source.get()) == null) {
      try {
        wait();
      } catch (InterruptedException e) {
        throw cancelled(e);
      }
      check();
    }
    return value;
  }

  /** Waits until that time, or until {@code condition} holds; throws when the session failed. */
  synchronized void pauseUntil(long nanoTime, BooleanSupplier condition) {
    long leftNs;
    check();
    while ((leftNs = nanoTime - System.nanoTime()) > 0 && !condition.getAsBoolean()) {
      try {
        TimeUnit.NANOSECONDS.timedWait(this, leftNs);
      } catch (InterruptedException e) {
        throw cancelled(e);
      }
      check();
    }
  }

  /** As {@link #await}, for a task's end: goes on waiting after a failure. */
  synchronized void awaitEnd(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      try {
        wait();
      } catch (InterruptedException e) {
        log.warn("somebody interrupts a task; it still waits for what it lent", e);
      }
    }
  }

  /** Waits a moment for news, unless {@code condition} holds already; throws when failed. */
  @SuppressWarnings("WaitNotInLoop") // one more look, a moment later, is all the caller wants
  synchronized void pauseUnless(BooleanSupplier condition) {
    check();
    if (!condition.getAsBoolean()) {
      try {
        wait(ProgressTeller.EVERY_MS);
      } catch (InterruptedException e) {
        throw cancelled(e);
      }
      check();
    }
  }
}
