package dev.mover.deploy.daemon;

import dev.mover.proxy.BackupResult;
import dev.mover.proxy.Cancellation;
import dev.mover.proxy.Progress;

/** Does what a job orders. */
@FunctionalInterface
interface JobRunner {
  /**
   * Backs the machine up; blocks until its point is committed.
   *
   * @throws dev.mover.api.error.MoverException when it is not; CANCELLED soon after {@code
   *     cancellation} was asked for
   */
  BackupResult run(JobRequest request, Progress.Listener listener, Cancellation cancellation);
}
