package dev.mover.api.point;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;

/**
 * How many restore points of each machine to keep: the last so many, and the newest of each of the
 * last so many days, weeks, months and years that have one. A point that any of them keeps stays.
 *
 * @param last 0: none because of its number
 * @param daily 0: none because of its day; likewise the others
 */
public record Retention(int last, int daily, int weekly, int monthly, int yearly) {
  /** More points than a machine has. */
  public static final int MOST = 1_000_000;

  public Retention {
    check(last, "last");
    check(daily, "daily");
    check(weekly, "weekly");
    check(monthly, "monthly");
    check(yearly, "yearly");
    if (last + daily + weekly + monthly + yearly == 0) {
      throw new InputException(
          ErrorCode.BAD_USAGE,
          "a retention that keeps nothing is none; say how many points to keep, or delete them by name");
    }
  }

  private static void check(int count, String which) {
    if (count < 0 || count > MOST) {
      throw new InputException(
          ErrorCode.BAD_USAGE,
          "how many %s points to keep is 0 to %d, not %d".formatted(which, MOST, count));
    }
  }
}
