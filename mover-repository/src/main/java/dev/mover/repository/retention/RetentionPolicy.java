package dev.mover.repository.retention;

import dev.mover.api.point.RestorePoint;
import dev.mover.api.point.Retention;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.temporal.TemporalAdjusters;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Decides which points of a machine a {@link Retention} keeps. What time it is now plays no part:
 * no point goes because it is old, only because enough newer ones are there. Points follow each
 * other by sequence; the times they were made at only say which of them share a day, week, month or
 * year, and of those that do the newest is kept.
 *
 * <p>Where these times can't be right ({@link ClockBreaks}), days before and after may be the same
 * without looking so. Such a place costs nothing that would have been kept otherwise: the two
 * periods before it are kept without being counted.
 *
 * <p>A point that can't be read is neither counted nor given up: a person decides.
 */
public final class RetentionPolicy {
  /** Periods before a break in the clock that may be the same as those after it. */
  private static final int UNCOUNTED = 2;

  private final Retention keep;
  private final ZoneId zone;

  /**
   * @param zone where days begin and end
   */
  public RetentionPolicy(Retention keep, ZoneId zone) {
    this.keep = keep;
    this.zone = zone;
  }

  /**
   * The points that may go.
   *
   * @param points all of one machine, ascending by sequence
   * @return ascending by sequence
   */
  public List<RestorePoint> surplus(List<RestorePoint> points) {
    List<RestorePoint> readable = points.stream().filter(RestorePoint::isReadable).toList();
    ClockBreaks breaks = ClockBreaks.of(readable);
    boolean[] kept = new boolean[readable.size()];
    for (int i = Math.max(0, kept.length - keep.last()); i < kept.length; i++) {
      kept[i] = true;
    }
    keepNewest(readable, breaks, kept, keep.daily(), day -> day);
    keepNewest(readable, breaks, kept, keep.weekly(), RetentionPolicy::monday);
    keepNewest(readable, breaks, kept, keep.monthly(), YearMonth::from);
    keepNewest(readable, breaks, kept, keep.yearly(), Year::from);
    List<RestorePoint> surplus = new ArrayList<>();
    for (int i = 0; i < kept.length; i++) {
      if (!kept[i]) {
        surplus.add(readable.get(i));
      }
    }
    return surplus;
  }

  /** Keeps the newest point of each of the last {@code wanted} periods that have one. */
  private void keepNewest(
      List<RestorePoint> points,
      ClockBreaks breaks,
      boolean[] kept,
      int wanted,
      Function<LocalDate, Object> periodOf) {
    int counted = 0;
    int uncounted = 0;
    Object current = "none yet";
    for (int i = points.size() - 1; i >= 0; i--) {
      Object period = periodOf.apply(LocalDate.ofInstant(points.get(i).createdAt(), zone));
      boolean broken = breaks.after(i);
      if (!broken && period.equals(current)) {
        continue;
      }
      if (counted == wanted) {
        return;
      }
      uncounted = broken ? UNCOUNTED : uncounted;
      if (uncounted > 0) {
        uncounted--;
      } else {
        counted++;
      }
      kept[i] = true;
      current = period;
    }
  }

  private static LocalDate monday(LocalDate day) {
    return day.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
  }
}
