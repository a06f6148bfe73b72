package dev.mover.transport.link;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waiting for another thread, with an end. */
final class Waiting {
  private Waiting() {}

  /**
   * The caller holds {@code monitor}, which is notified whenever the condition may have changed.
   */
  static void on(Object monitor, Duration patience, BooleanSupplier condition) {
    long end = System.nanoTime() + patience.toNanos();
    try {
      while (!condition.getAsBoolean()) {
        long leftMs = (end - System.nanoTime()) / 1_000_000;
        if (leftMs <= 0) {
          throw new AssertionError("did not happen within " + patience);
        }
        monitor.wait(leftMs);
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
