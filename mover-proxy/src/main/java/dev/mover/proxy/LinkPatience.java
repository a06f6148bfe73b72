package dev.mover.proxy;

import java.time.Duration;

/**
 * How long a backup waits for its repository. A repository keeps a session whose link was lost as
 * long.
 *
 * @param retryEvery after a lost link, from one attempt to get it back to the next; the first is at
 *     once
 * @param giveUpAfter the backup fails, when the link is not back
 * @param stalledAfter the backup fails, when its link holds and yet nothing moves: a disk or the
 *     repository's file system hangs
 */
public record LinkPatience(Duration retryEvery, Duration giveUpAfter, Duration stalledAfter) {
  public static final LinkPatience DEFAULT =
      new LinkPatience(Duration.ofSeconds(5), Duration.ofMinutes(30));

  /** Of somebody who waits half an hour for what hangs. */
  public LinkPatience(Duration retryEvery, Duration giveUpAfter) {
    this(retryEvery, giveUpAfter, Duration.ofMinutes(30));
  }
}
