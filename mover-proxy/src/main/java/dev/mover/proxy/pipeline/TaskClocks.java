package dev.mover.proxy.pipeline;

import java.util.function.Consumer;

/** One task's clocks and its session's, told the same. Guarded by the session's monitor. */
final class TaskClocks {
  private final SessionMonitor monitor;
  private final StageTimes session;
  private final StageTimes task;

  TaskClocks(SessionMonitor monitor, StageTimes session, int workers) {
    this.monitor = monitor;
    this.session = session;
    this.task = new StageTimes(workers);
  }

  /** The task's own. */
  StageTimes task() {
    return task;
  }

  /** With the monitor held. */
  void tell(Consumer<StageTimes> event) {
    event.accept(task);
    event.accept(session);
  }

  // ---- any thread

  void readBegins() {
    synchronized (monitor) {
      monitor.readBegins();
      tell(StageTimes::readBegins);
    }
  }

  void readEnds(long bytes) {
    synchronized (monitor) {
      monitor.readEnds();
      tell(t -> t.readEnds(bytes));
    }
  }

  void stepQueued() {
    synchronized (monitor) {
      tell(StageTimes::stepQueued);
    }
  }

  /**
   * A step of a CPU worker is over.
   *
   * @param startNs when it began
   */
  void stepEnds(long startNs) {
    long ns = System.nanoTime() - startNs;
    synchronized (monitor) {
      tell(t -> t.stepEnds(ns));
    }
  }
}
