package dev.mover.deploy.daemon;

import java.time.DayOfWeek;
import java.time.LocalTime;
import java.util.Set;

/**
 * Most MB/s on all links together at some time of day.
 *
 * @param from first minute it holds
 * @param to first minute it doesn't; not after {@code from}: it holds over midnight
 * @param days on which it begins
 * @param linkMBps MB/s of 10^6 bytes, at least 1
 */
public record LinkLimit(LocalTime from, LocalTime to, Set<DayOfWeek> days, int linkMBps) {
  public LinkLimit {
    days = Set.copyOf(days);
  }
}
