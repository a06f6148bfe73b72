package dev.mover.proxy.pipeline;

import dev.mover.proxy.BackupResult;
import dev.mover.proxy.Progress;

/**
 * Where a session stands, for its listener. Transfer is 0 to 99 %, commit the last percent: it
 * takes a second where transfer takes hours.
 *
 * <p>What the repository says is taken with the session's monitor held; the methods that tell are
 * called without it, by the session's own thread: a listener may take its time.
 */
final class SessionProgress {
  private final ProgressTeller teller;
  private final SessionFigures figures;
  private String detail = "";
  private int commitPercent;

  SessionProgress(Progress.Listener listener, SessionFigures figures) {
    this.teller = new ProgressTeller(listener);
    this.figures = figures;
  }

  // ---- what the repository says

  void queued(String reason) {
    detail = reason;
  }

  void granted() {
    detail = "";
  }

  void committing(int percent, String phase) {
    commitPercent = Math.max(commitPercent, percent);
    detail = phase;
  }

  // ---- what the listener is told

  /** Before there is a session. */
  void tellConnecting() {
    teller.tell(now("connect", 0, detail));
  }

  /**
   * Disks stream, or wait to.
   *
   * @param slotWait what it waits for while this proxy has no slot for its first disk, else empty
   */
  void tellTransfer(SessionMonitor monitor, String slotWait) {
    Progress progress;
    synchronized (monitor) {
      if (figures.isGranted()) {
        progress = now("transfer", 99 * doneShare(), detail);
      } else {
        progress = now("queue", 0, slotWait.isEmpty() ? detail : slotWait);
      }
    }
    teller.tell(progress);
  }

  void tellCommit(SessionMonitor monitor) {
    Progress progress;
    synchronized (monitor) {
      progress = now("commit", 99 + commitPercent / 100.0, detail);
    }
    teller.tell(progress);
  }

  void tellDone(BackupResult result) {
    teller.tell(
        new Progress(
            "done",
            100,
            result.sizeBytes(),
            result.sizeBytes(),
            result.sentBytes(),
            0,
            "",
            result.load()));
  }

  private double doneShare() {
    long total = figures.totalBytes();
    return total == 0 ? 1 : (double) figures.counters().doneBytes() / total;
  }

  private Progress now(String phase, double percent, String why) {
    return new Progress(
        phase,
        percent,
        figures.counters().doneBytes(),
        figures.totalBytes(),
        figures.counters().sentBytes(),
        figures.streaming(),
        why,
        figures.loadNow());
  }
}
