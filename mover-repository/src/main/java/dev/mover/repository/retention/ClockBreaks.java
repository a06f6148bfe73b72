package dev.mover.repository.retention;

import dev.mover.api.point.RestorePoint;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * The places in a machine's points where the clock can't have been right on both sides: it ran
 * backwards or stood still, or it jumped much further than this machine's backups are apart, or two
 * daily backups seem to follow each other at once, as when the clock was put a day back between
 * them. Some are no error (a machine was away for long, a backup was run again by hand); what is
 * kept for their sake is little.
 */
final class ClockBreaks {
  /** How many times further, or closer, than usual two points must be. */
  private static final int UNUSUAL = 8;

  /** A smaller jump forward is what holidays look like, and splits one week or month at most. */
  private static final Duration SMALL_JUMP = Duration.ofDays(30);

  /** Backups closer than that share their days anyway. */
  private static final Duration ABOUT_DAILY = Duration.ofHours(12);

  private final BitSet after;

  private ClockBreaks(BitSet after) {
    this.after = after;
  }

  static ClockBreaks of(List<RestorePoint> points) {
    long usual = usualMs(points);
    BitSet after = new BitSet();
    for (int i = 0; i + 1 < points.size(); i++) {
      after.set(i, isBreak(gapMs(points, i), usual));
    }
    return new ClockBreaks(after);
  }

  /** Whether there is one between this point and the next. */
  boolean after(int index) {
    return after.get(index);
  }

  private static boolean isBreak(long gapMs, long usualMs) {
    boolean jump = gapMs > SMALL_JUMP.toMillis() && gapMs / UNUSUAL > usualMs;
    boolean atOnce = usualMs >= ABOUT_DAILY.toMillis() && gapMs < usualMs / UNUSUAL;
    return gapMs <= 0 || jump || atOnce;
  }

  /** The lower median of the times between two points that follow each other. */
  private static long usualMs(List<RestorePoint> points) {
    long[] gaps = new long[Math.max(0, points.size() - 1)];
    int count = 0;
    for (int i = 0; i < gaps.length; i++) {
      long gap = gapMs(points, i);
      if (gap > 0) {
        gaps[count++] = gap;
      }
    }
    Arrays.sort(gaps, 0, count);
    return count == 0 ? 0 : gaps[(count - 1) / 2];
  }

  private static long gapMs(List<RestorePoint> points, int index) {
    Instant from = points.get(index).createdAt();
    return Duration.between(from, points.get(index + 1).createdAt()).toMillis();
  }
}
