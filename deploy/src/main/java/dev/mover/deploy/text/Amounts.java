package dev.mover.deploy.text;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Bytes, rates and times as people read them; decimal units, as disks and networks are sold. */
public final class Amounts {
  private static final String[] UNITS = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};

  private static final DateTimeFormatter MOMENT =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);

  private Amounts() {}

  /** For example {@code 0 B}, {@code 512 B}, {@code 4.4 GB}. */
  public static String bytes(long bytes) {
    double value = bytes;
    int unit = 0;
    while (value >= 999.95 && unit < UNITS.length - 1) {
      value /= 1000;
      unit++;
    }
    return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", value, UNITS[unit]);
  }

  /** For example {@code 362 MB/s}; nothing took no time, so it has no rate. */
  public static String rate(long bytes, Duration time) {
    double seconds = time.toNanos() / 1e9;
    if (bytes <= 0 || seconds <= 0) {
      return "-";
    }
    return String.format(Locale.ROOT, "%.0f MB/s", bytes / 1e6 / seconds);
  }

  /** For example {@code 0.4 s}, {@code 12.3 s}, {@code 4 min 05 s}. */
  public static String time(Duration time) {
    if (time.toSeconds() < 100) {
      return String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1e3);
    }
    return String.format(Locale.ROOT, "%d min %02d s", time.toMinutes(), time.toSecondsPart());
  }

  /** For example {@code 2026-12-01 10:37:47}, where the reader is. */
  public static String moment(Instant moment) {
    return MOMENT.format(moment.atZone(ZoneId.systemDefault()));
  }

  /** For example {@code 2.4 : 1}; nothing to compare with has no ratio. */
  public static String ratio(long whole, long part) {
    return whole <= 0 || part <= 0
        ? "-"
        : String.format(Locale.ROOT, "%.1f : 1", (double) whole / part);
  }
}
