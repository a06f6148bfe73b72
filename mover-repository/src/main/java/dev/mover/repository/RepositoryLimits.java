package dev.mover.repository;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import dev.mover.api.task.RateLimit;

/**
 * What may be changed while a repository is open.
 *
 * @param maxConcurrentTasks task slots: most disks that stream in at once, at least 1
 * @param extentMaxConcurrentTasks the same for the extent; 0: only the repository's limit holds
 * @param extentWriteMBps most MB/s (10^6 bytes) of slots written to the extent; 0: no limit
 * @param extentReadMBps most MB/s read from it by restores and verifications; 0: no limit
 */
public record RepositoryLimits(
    int maxConcurrentTasks, int extentMaxConcurrentTasks, int extentWriteMBps, int extentReadMBps) {
  public static final int MOST_MBPS = 1_000_000;

  private static final long MB = 1_000_000;

  public RepositoryLimits {
    check("maxConcurrentTasks", maxConcurrentTasks, 1, RepositoryOptions.MOST_TASKS);
    check("extentMaxConcurrentTasks", extentMaxConcurrentTasks, 0, RepositoryOptions.MOST_TASKS);
    check("extentWriteMBps", extentWriteMBps, 0, MOST_MBPS);
    check("extentReadMBps", extentReadMBps, 0, MOST_MBPS);
  }

  /** Task slots and nothing else. */
  public static RepositoryLimits ofTasks(int maxConcurrentTasks) {
    return new RepositoryLimits(maxConcurrentTasks, 0, 0, 0);
  }

  long writeBytesPerSec() {
    return extentWriteMBps == 0 ? RateLimit.NONE : extentWriteMBps * MB;
  }

  long readBytesPerSec() {
    return extentReadMBps == 0 ? RateLimit.NONE : extentReadMBps * MB;
  }

  private static void check(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw MoverException.of(
          ErrorCode.BAD_USAGE,
          Side.REPOSITORY,
          "%s takes %d to %d, not %d".formatted(name, least, most, value));
    }
  }
}
