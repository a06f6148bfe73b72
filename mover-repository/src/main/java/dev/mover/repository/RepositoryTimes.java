package dev.mover.repository;

import dev.mover.repository.serve.ServeServices;
import dev.mover.repository.session.AwayTimes;
import dev.mover.repository.session.SessionServices;
import java.time.Clock;
import java.time.Duration;

/**
 * How long a repository waits for what. Only tests are more impatient than {@link #DEFAULT}.
 *
 * @param checkpointEvery the slots of a session are made durable and put into the index this often
 * @param deafAfter a reader that takes nothing for so long is ended when others need its memory
 * @param away for a proxy whose link was lost
 * @param clock what time it is; decides nothing but what is told, and when a partial or a check of
 *     a file is old
 */
record RepositoryTimes(Duration checkpointEvery, Duration deafAfter, AwayTimes away, Clock clock) {
  static final RepositoryTimes DEFAULT =
      new RepositoryTimes(
          SessionServices.CHECKPOINT_EVERY,
          ServeServices.DEAF_AFTER,
          AwayTimes.DEFAULT,
          Clock.systemUTC());

  RepositoryTimes withCheckpointEvery(Duration interval) {
    return new RepositoryTimes(interval, deafAfter, away, clock);
  }

  RepositoryTimes withDeafAfter(Duration silence) {
    return new RepositoryTimes(checkpointEvery, silence, away, clock);
  }

  RepositoryTimes withAway(AwayTimes times) {
    return new RepositoryTimes(checkpointEvery, deafAfter, times, clock);
  }

  RepositoryTimes withClock(Clock other) {
    return new RepositoryTimes(checkpointEvery, deafAfter, away, other);
  }
}
