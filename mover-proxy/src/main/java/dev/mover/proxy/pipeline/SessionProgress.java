package dev.mover.proxy.pipeline;

import dev.mover.proxy.BackupResult;
import dev.mover.proxy.Progress;
import java.util.concurrent.TimeUnit;

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
  private int attempt;
  private long lostNs;

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

  // ---- what becomes of the link; with the monitor held

  /**
   * There is none.
   *
   * @param times how often it is tried to get one, this time included
   */
  void linkLost(int times, long sinceNs) {
    attempt = times;
    lostNs = sinceNs;
  }

  void linked() {
    attempt = 0;
  }

  // ---- what the listener is told

  /** Before there is a session. */
  void tellConnecting() {
    teller.tell(now("connect", 0, detail));
  }

  /** The repository is asked to open the session. */
  void tellOpening(SessionMonitor monitor) {
    Progress progress;
    synchronized (monitor) {
      progress = now("connect", 0, detail);
    }
    teller.tell(progress);
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

  private String lostWords() {
    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - lostNs);
    return "link lost, trying again (%s time, %d s)".formatted(ordinal(attempt), seconds);
  }

  private static String ordinal(int n) {
    boolean teen = n % 100 / 10 == 1;
    return n
        + switch (teen ? 0 : n % 10) {
          case 1 -> "st";
          case 2 -> "nd";
          case 3 -> "rd";
          default -> "th";
        };
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
        attempt == 0 ? why : lostWords(),
        figures.loadNow());
  }
}
