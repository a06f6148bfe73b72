package dev.mover.deploy.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.proxy.Progress;
import dev.mover.testkit.Seeds;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ProgressViewTest {
  private static final Pattern PERCENT = Pattern.compile("(\\d+\\.\\d) %");

  private final StringWriter text = new StringWriter();
  private long nowMs;

  private ProgressView view(boolean terminal) {
    return view(ProgressView.Way.BACKUP, terminal);
  }

  private ProgressView view(ProgressView.Way way, boolean terminal) {
    return new ProgressView(
        way, new PrintWriter(text), terminal, () -> Instant.ofEpochMilli(nowMs));
  }

  private static Progress at(String phase, double percent) {
    return new Progress(phase, percent, 5_000_000, 10_000_000, 1_000_000, 2, "", null);
  }

  @Test
  void plainLinesComeEveryFiveSecondsAndWithEachPhase() {
    try (ProgressView view = view(false)) {
      for (nowMs = 0; nowMs <= 10_000; nowMs += 100) {
        view.on(at("transfer", nowMs / 200.0));
      }
      view.on(at("commit", 60));
    }
    assertThat(text.toString().lines()).hasSize(4);
    assertThat(text.toString()).doesNotContain("\u001b").contains("commit", "2 tasks");
  }

  @Test
  void aWatchThatBeginsInTheMiddleCountsFromThere() {
    try (ProgressView view = view(false)) {
      nowMs = 100;
      view.on(new Progress("transfer", 50, 500_000_000, 1_000_000_000, 0, 1, "", null));
      nowMs += 10_000;
      view.on(new Progress("transfer", 51, 510_000_000, 1_000_000_000, 0, 1, "", null));
    }
    assertThat(text.toString().lines().toList().getFirst()).contains("sent, -");
    assertThat(text.toString().lines().toList().getLast()).contains("sent, 1 MB/s");
  }

  @Test
  void shownPercentNeverFallsNorLeavesItsBounds() {
    Seeds.check(
        50,
        random -> {
          text.getBuffer().setLength(0);
          try (ProgressView view = view(random.nextBoolean())) {
            for (int i = 0; i < 100; i++) {
              nowMs += random.nextInt(6_000);
              view.on(at("p" + random.nextInt(3), random.nextDouble() * 300 - 100));
            }
            view.on(at("odd", Double.NaN));
          }
          List<Double> shown =
              PERCENT
                  .matcher(text.toString())
                  .results()
                  .map(m -> Double.valueOf(m.group(1)))
                  .toList();
          assertThat(shown).isNotEmpty().isSorted().allMatch(p -> p >= 0 && p <= 100);
        });
  }

  @Test
  void callsTheBytesByTheWayTheyGo() {
    try (ProgressView backup = view(ProgressView.Way.BACKUP, false);
        ProgressView restore = view(ProgressView.Way.RESTORE, false)) {
      backup.on(at("transfer", 50));
      restore.on(at("restore", 50));
    }
    assertThat(text.toString().lines())
        .satisfiesExactly(
            line -> assertThat(line).contains("5.0 MB of 10.0 MB, 1.0 MB sent, "),
            line -> assertThat(line).contains("5.0 MB of 10.0 MB written, 1.0 MB received, "));
  }

  @Test
  void tellsNoAmountsBeforeItKnowsAny() {
    try (ProgressView view = view(ProgressView.Way.RESTORE, false)) {
      view.on(new Progress("connect", 0, 0, 0, 0, 0, "waiting", null));
    }
    assertThat(text.toString()).isEqualTo("  0.0 %  connect, waiting" + System.lineSeparator());
  }

  @Test
  void barIsWipedSoThatTheResultStandsAlone() {
    try (ProgressView view = view(true)) {
      view.on(at("transfer", 50));
    }
    assertThat(text.toString()).contains("[############............]").endsWith("\r\u001b[K");
  }

  @Test
  void showsNothingAfterClose() {
    ProgressView view = view(false);
    view.close();
    view.on(at("late", 10));

    assertThat(text.toString()).isEmpty();
  }

  @Test
  void detailCannotMoveTheCursor() {
    try (ProgressView view = view(false)) {
      view.on(new Progress("queue", 0, 0, 0, 0, 0, "waiting\r\u001b[2Jfor a slot", null));
    }
    assertThat(text.toString()).doesNotContain("\u001b").doesNotContain("\r");
  }
}
