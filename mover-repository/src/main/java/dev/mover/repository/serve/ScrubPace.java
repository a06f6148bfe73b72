package dev.mover.repository.serve;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.error.Side;
import dev.mover.api.task.RateLimit;
import dev.mover.repository.extent.Foreground;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/**
 * When a scrub may read on: within its budget, and while nothing else needs the extent; but for a
 * twentieth of the time, or a repository that is never idle would rot unseen. The scrub's thread.
 */
final class ScrubPace implements CheckWatch {
  /** How long it stands at most before it goes on a little beside what runs. */
  private static final Duration YIELDS = Duration.ofSeconds(2);

  private static final Duration GOES_ON = Duration.ofMillis(100);

  private final Foreground foreground;
  private final RateLimit rate = new RateLimit(RateLimit.NONE);
  private final LongAdder readBytes = new LongAdder();
  private volatile boolean over;
  private long mayGoOnUntilNs = System.nanoTime();

  ScrubPace(Foreground foreground) {
    this.foreground = foreground;
  }

  void limit(long bytesPerSec) {
    rate.set(bytesPerSec);
  }

  long bytesPerSec() {
    return rate.bytesPerSec();
  }

  long readBytes() {
    return readBytes.sum();
  }

  /** Blocks until so many bytes may be read; throws as {@link #checkOver}. */
  void await(int bytes) {
    rate.take(bytes, () -> over || foreground.isUnwanted());
    checkOver();
    readBytes.add(bytes);
  }

  void over() {
    over = true;
    foreground.wake();
  }

  @Override
  public boolean isOver() {
    return over;
  }

  /**
   * Gives way as well, so that whoever asks often needs nothing else.
   *
   * @throws MoverException CANCELLED when the scrub is over; NO_SUCH_POINT when the point it reads
   *     is being removed
   */
  @Override
  public void checkOver() {
    if (System.nanoTime() - mayGoOnUntilNs >= 0 && foreground.awaitIdle(YIELDS, this::isOver)) {
      mayGoOnUntilNs = System.nanoTime() + GOES_ON.toNanos();
    }
    if (over) {
      throw MoverException.of(
          ErrorCode.CANCELLED, Side.REPOSITORY, "the repository is being closed");
    }
    if (foreground.isUnwanted()) {
      throw new RepositoryException(ErrorCode.NO_SUCH_POINT, "the point is being deleted");
    }
  }
}
