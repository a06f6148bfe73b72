package dev.mover.repository.session;

import java.time.Duration;

/**
 * How long a session waits for its proxy.
 *
 * @param lendAfter after a lost link: its task slots and receive memory go to others
 * @param endAfter after a lost link: it ends, and leaves its partial; a proxy tries as long
 * @param silentAfter its link holds, and a proxy that has a task slot says nothing: it ends
 */
public record AwayTimes(Duration lendAfter, Duration endAfter, Duration silentAfter) {
  public static final AwayTimes DEFAULT =
      new AwayTimes(Duration.ofSeconds(60), Duration.ofMinutes(30));

  /** Of a session that waits half an hour for who says nothing. */
  public AwayTimes(Duration lendAfter, Duration endAfter) {
    this(lendAfter, endAfter, Duration.ofMinutes(30));
  }
}
