package dev.mover.repository.extent;

import dev.mover.api.task.RateLimit;

/**
 * How fast slots may be written to and read from an extent. Whoever waits for it does so on the
 * extent's own threads. Maps, metadata and clones pass freely: they are little, and a session that
 * waits for them holds a task slot.
 */
public record ExtentRates(RateLimit write, RateLimit read) {
  public static ExtentRates none() {
    return new ExtentRates(new RateLimit(RateLimit.NONE), new RateLimit(RateLimit.NONE));
  }
}
