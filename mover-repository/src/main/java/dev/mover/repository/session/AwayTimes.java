package dev.mover.repository.session;

import java.time.Duration;

/**
 * How long a session waits for a proxy whose link was lost.
 *
 * @param lendAfter its task slots and receive memory go to others
 * @param endAfter it ends, and leaves its partial; a proxy tries as long
 */
public record AwayTimes(Duration lendAfter, Duration endAfter) {
  public static final AwayTimes DEFAULT =
      new AwayTimes(Duration.ofSeconds(60), Duration.ofMinutes(30));
}
