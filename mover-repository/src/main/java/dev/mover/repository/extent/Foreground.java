package dev.mover.repository.extent;

import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What goes before a scrub on an extent: commits, because a clone waits for every direct read of
 * either file, restores, and the removal of the very point it reads. Thread-safe.
 */
public final class Foreground {
  private static final Logger LOG = LoggerFactory.getLogger(Foreground.class);

  private int running;
  private @Nullable Path scrubbed;
  private @Nullable Path unwanted;

  /** A commit or a restore begins; {@link #ended} follows, once. */
  public synchronized void began() {
    running++;
  }

  public synchronized void ended() {
    running--;
    notifyAll();
  }

  public synchronized boolean isBusy() {
    return running > 0;
  }

  /**
   * A point is about to be removed: blocks until no scrub has it open, and none opens it before
   * {@link #removalEnded}. One removal at a time.
   */
  public synchronized void removalBegins(Path point) {
    unwanted = point;
    notifyAll();
    awaitWhile(this::isUnwanted, 0);
  }

  public synchronized void removalEnded() {
    unwanted = null;
  }

  /**
   * A scrub is about to open a point; {@link #scrubEnded} follows.
   *
   * @return false when that is being removed, and nothing follows
   */
  public synchronized boolean scrubBegins(Path point) {
    if (point.equals(unwanted)) {
      return false;
    }
    scrubbed = point;
    return true;
  }

  public synchronized void scrubEnded() {
    scrubbed = null;
    notifyAll();
  }

  /** Whether a removal waits for the scrub to close its point. */
  public synchronized boolean isUnwanted() {
    return scrubbed != null && scrubbed.equals(unwanted);
  }

  /**
   * Blocks until nothing runs, a removal waits, {@code over}, or it took so long; {@link #wake} has
   * it looked at again.
   *
   * @return whether something runs still
   */
  public synchronized boolean awaitIdle(Duration most, BooleanSupplier over) {
    long untilNs = System.nanoTime() + most.toNanos();
    awaitWhile(
        () -> isBusy() && !isUnwanted() && !over.getAsBoolean() && System.nanoTime() - untilNs < 0,
        most.toMillis());
    return isBusy();
  }

  private synchronized void awaitWhile(BooleanSupplier condition, long lookMs) {
    while (condition.getAsBoolean()) {
      try {
        wait(lookMs);
      } catch (InterruptedException e) {
        LOG.debug("who yields takes no interrupts; it is closed", e);
      }
    }
  }

  public synchronized void wake() {
    notifyAll();
  }
}
