package dev.mover.deploy.cli;

import dev.mover.api.status.LoadLine;
import dev.mover.api.status.Stage;
import dev.mover.deploy.text.Amounts;
import dev.mover.proxy.Progress;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Locale;

/**
 * Shows progress on stderr: a bar that is drawn over on a terminal, otherwise a plain line when the
 * phase changes and every {@link #LINE_EVERY}. What it shows never falls and stays in 0 to 100,
 * whatever it is told. Thread-safe.
 */
final class ProgressView implements Progress.Listener, AutoCloseable {
  static final Duration LINE_EVERY = Duration.ofSeconds(5);
  private static final Duration DRAW_EVERY = Duration.ofMillis(200);
  private static final int BAR = 24;
  private static final String TO_LINE_START_AND_CLEAR = "\r\u001b[K";

  /** What the bytes on the link are called, and those of the disk. */
  enum Way {
    BACKUP("%s of %s", "sent"),
    RESTORE("%s of %s written", "received");

    private final String done;
    private final String carried;

    Way(String done, String carried) {
      this.done = done;
      this.carried = carried;
    }
  }

  private final Way way;
  private final PrintWriter err;
  private final boolean terminal;
  private final InstantSource clock;
  private long startedMs;

  /** What had been done when the first word came: a watch may begin in the middle. */
  private long doneBefore = -1;

  private String phase = "";
  private double percent;
  private long shownMs = Long.MIN_VALUE;
  private boolean barOpen;
  private boolean closed;

  ProgressView(Way way, PrintWriter err, boolean terminal, InstantSource clock) {
    this.way = way;
    this.err = err;
    this.terminal = terminal;
    this.clock = clock;
    this.startedMs = clock.millis();
  }

  /** The listener for a command: none with {@code --json}. */
  static Progress.Listener listener(boolean json, ProgressView view) {
    return json ? Progress.Listener.NONE : view;
  }

  /**
   * True when a person looks at it: the launcher says whether stderr is a terminal. Java could only
   * tell of stdin and stdout.
   */
  static boolean onTerminal() {
    return Boolean.getBoolean("mover.terminal");
  }

  @Override
  public synchronized void on(Progress progress) {
    if (closed) {
      return;
    }
    percent = Math.clamp(Math.max(percent, finite(progress.percent())), 0, 100);
    long now = clock.millis();
    if (doneBefore < 0) {
      doneBefore = progress.doneBytes();
      startedMs = doneBefore > 0 ? now : startedMs;
    }
    boolean fresh = !progress.phase().equals(phase);
    phase = progress.phase();
    long every = (terminal ? DRAW_EVERY : LINE_EVERY).toMillis();
    if (fresh || shownMs == Long.MIN_VALUE || now - shownMs >= every) {
      shownMs = now;
      show(progress, now);
    }
  }

  private void show(Progress progress, long now) {
    String text = text(progress, Duration.ofMillis(now - startedMs));
    if (terminal) {
      int full = (int) (percent * BAR / 100);
      err.print(
          TO_LINE_START_AND_CLEAR + "[" + "#".repeat(full) + ".".repeat(BAR - full) + "] " + text);
      barOpen = true;
    } else {
      err.println(text);
    }
    err.flush();
  }

  private String text(Progress progress, Duration elapsed) {
    StringBuilder text = new StringBuilder();
    text.append(String.format(Locale.ROOT, "%5.1f %%  %s", percent, phase));
    if (progress.totalBytes() > 0) { // before that nobody knows
      text.append("  ").append(amounts(progress, elapsed));
    }
    if (progress.tasks() > 1) {
      text.append(", ").append(progress.tasks()).append(" tasks");
    }
    LoadLine load = progress.load();
    if (load != null) {
      text.append(", ").append(terminal ? bottleneck(load) : load);
    }
    if (!progress.detail().isEmpty()) {
      text.append(", ").append(Failures.oneLine(progress.detail()));
    }
    return text.toString();
  }

  private String amounts(Progress progress, Duration elapsed) {
    return "%s, %s %s, %s"
        .formatted(
            way.done.formatted(
                Amounts.bytes(progress.doneBytes()), Amounts.bytes(progress.totalBytes())),
            Amounts.bytes(progress.sentBytes()),
            way.carried,
            Amounts.rate(progress.doneBytes() - doneBefore, elapsed));
  }

  /** A bar has one line only. */
  private static String bottleneck(LoadLine load) {
    Stage stage = load.bottleneck();
    return stage.label() + " " + load.percent().get(stage) + " %";
  }

  private static double finite(double value) {
    return Double.isFinite(value) ? value : 0;
  }

  /** Wipes the bar, so that what is printed next has the line for itself; shows nothing more. */
  @Override
  public synchronized void close() {
    closed = true;
    if (barOpen) {
      err.print(TO_LINE_START_AND_CLEAR);
      err.flush();
      barOpen = false;
    }
  }
}
