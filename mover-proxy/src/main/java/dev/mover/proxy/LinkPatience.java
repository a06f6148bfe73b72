package dev.mover.proxy;

import java.time.Duration;

/**
 * How long a backup tries to get its link back after it was lost. A repository keeps the session as
 * long.
 *
 * @param retryEvery from one attempt to the next; the first is at once
 * @param giveUpAfter the backup fails
 */
public record LinkPatience(Duration retryEvery, Duration giveUpAfter) {
  public static final LinkPatience DEFAULT =
      new LinkPatience(Duration.ofSeconds(5), Duration.ofMinutes(30));
}
