package dev.mover.proxy.pipeline;

/**
 * The reads, steps and sends of one task that are under way; each ends by itself, also after a
 * failure. Guarded by the session's monitor.
 */
final class UnderWay {
  private final SessionMonitor monitor;
  private final Admission admission;
  private int count;

  UnderWay(SessionMonitor monitor, Admission admission) {
    this.monitor = monitor;
    this.admission = admission;
  }

  /** With the monitor held. */
  void begin() {
    count++;
  }

  /** One ended, on any thread; what it freed may let others go on. */
  void end() {
    synchronized (monitor) {
      count--;
      admission.admit();
      monitor.notifyAll();
    }
  }

  /** With the monitor held: whether nothing is under way. */
  boolean isNone() {
    return count == 0;
  }
}
