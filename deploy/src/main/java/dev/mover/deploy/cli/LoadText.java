package dev.mover.deploy.cli;

import dev.mover.api.status.LoadLine;
import dev.mover.api.status.Stage;
import dev.mover.deploy.text.Amounts;
import dev.mover.proxy.BackupResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Where a backup's time went, as a person reads it. */
final class LoadText {
  /** Shorter than this nobody waited. */
  private static final Duration A_WAIT = Duration.ofMillis(100);

  private LoadText() {}

  /**
   * For example
   *
   * <pre>
   * load: source 12 % > proxy 97 % > network 3 % > target 20 %, bottleneck proxy
   * next limit: target at about 430 MB/s; waited 4.2 s for a repository slot
   * </pre>
   */
  static List<String> of(BackupResult result) {
    List<String> lines = new ArrayList<>();
    LoadLine load = result.load();
    if (load.rateBytesPerSec() > 0) {
      lines.add("load: " + load + ", bottleneck " + load.bottleneck().label());
    }
    List<String> more = new ArrayList<>();
    double next = load.nextLimitBytesPerSec();
    if (load.rateBytesPerSec() > 0 && Double.isFinite(next)) {
      more.add("next limit: %s at about %s".formatted(name(load.nextLimit()), rate(next)));
    }
    if (result.queued().compareTo(A_WAIT) > 0) {
      more.add("waited %s for a repository slot".formatted(Amounts.time(result.queued())));
    }
    if (!more.isEmpty()) {
      lines.add(String.join("; ", more));
    }
    return lines;
  }

  /** The proxy is two things to people: a process, and the CPU it takes. */
  private static String name(Stage stage) {
    return stage == Stage.PROXY ? "proxy CPU" : stage.label();
  }

  private static String rate(double bytesPerSec) {
    return String.format(Locale.ROOT, "%.0f MB/s", bytesPerSec / 1e6);
  }
}
