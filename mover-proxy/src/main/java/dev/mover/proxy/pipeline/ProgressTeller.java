package dev.mover.proxy.pipeline;

import dev.mover.proxy.Progress;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a run's progress: at once when the phase changes, else a few times a second, and never
 * backwards. Any thread, one at a time. A listener that throws is logged and costs no run.
 */
public final class ProgressTeller {
  private static final Logger log = LoggerFactory.getLogger(ProgressTeller.class);

  static final long EVERY_MS = 200;

  /** What a run shows until it is done. */
  private static final double MOST_PERCENT = 99.99;

  private final Progress.Listener listener;
  private String phase = "";
  private double percent;
  private long doneBytes;
  private long toldNs;

  public ProgressTeller(Progress.Listener listener) {
    this.listener = listener;
  }

  /** Where the run stands now; its {@code percent} and {@code doneBytes} may be behind the last. */
  public synchronized void tell(Progress now) {
    boolean done = now.phase().equals("done");
    if (now.phase().equals(phase)
        && System.nanoTime() - toldNs < TimeUnit.MILLISECONDS.toNanos(EVERY_MS)) {
      return;
    }
    phase = now.phase();
    percent = done ? 100 : Math.max(percent, Math.min(now.percent(), MOST_PERCENT));
    doneBytes = Math.max(doneBytes, now.doneBytes());
    toldNs = System.nanoTime();
    try {
      listener.on(
          new Progress(
              phase,
              percent,
              doneBytes,
              now.totalBytes(),
              now.sentBytes(),
              now.tasks(),
              now.detail(),
              now.load()));
    } catch (RuntimeException e) {
      log.warn("a progress listener failed", e);
    }
  }
}
