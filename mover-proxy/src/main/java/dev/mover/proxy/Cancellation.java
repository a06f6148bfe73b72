package dev.mover.proxy;

import org.jspecify.annotations.Nullable;

/**
 * A flag by which anybody may ask a run to stop. The run ends with CANCELLED soon after; what it
 * stored stays in the repository as a partial. A run whose point is being committed goes on to its
 * end. For one run; any thread.
 */
public final class Cancellation {
  private boolean cancelled;
  private @Nullable Runnable listener;

  /** Asks for the stop; returns at once. Idempotent. */
  public void cancel() {
    Runnable told;
    synchronized (this) {
      told = cancelled ? null : listener;
      cancelled = true;
    }
    if (told != null) {
      told.run();
    }
  }

  public synchronized boolean isCancelled() {
    return cancelled;
  }

  /**
   * For the run: {@code listener} is called once, by whoever cancels, or at once when that has
   * happened already.
   */
  public void onCancel(Runnable listener) {
    boolean late;
    synchronized (this) {
      this.listener = listener;
      late = cancelled;
    }
    if (late) {
      listener.run();
    }
  }
}
