package dev.mover.proxy.pipeline;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.scheduler.Schedulers;

/**
 * The deadline of every step that has none of its own: fails a session when no read of a disk was
 * answered, and nothing came from the repository, for so long. A disk, or the repository's file
 * system, hangs then; a link that is lost has its own patience, and whoever waits for a turn may
 * wait.
 */
final class Stall implements AutoCloseable {
  private static final int LOOKS = 8;

  private final SessionMonitor monitor;
  private final SessionLink link;
  private final Duration deadline;
  private final BooleanSupplier waitsForItsTurn;
  private final UnaryOperator<MoverException> explained;
  private final Disposable timer;

  /**
   * Begins to look.
   *
   * @param waitsForItsTurn whether nothing needs to move; asked with the monitor held
   * @param explained says of a failure what it leaves open
   */
  Stall(
      Session session,
      Duration deadline,
      BooleanSupplier waitsForItsTurn,
      UnaryOperator<MoverException> explained) {
    this.monitor = session.monitor();
    this.link = session.link();
    this.deadline = deadline;
    this.waitsForItsTurn = waitsForItsTurn;
    this.explained = explained;
    long everyMs = Math.max(1, deadline.toMillis() / LOOKS);
    this.timer =
        Schedulers.parallel()
            .schedulePeriodically(this::look, everyMs, everyMs, TimeUnit.MILLISECONDS);
  }

  private void look() {
    MoverException stalled = stalled();
    if (stalled != null) {
      monitor.fail(explained.apply(stalled));
    }
  }

  private @Nullable MoverException stalled() {
    synchronized (monitor) {
      if (!link.isUp() || waitsForItsTurn.getAsBoolean()) {
        monitor.news();
      }
      if (monitor.quietNs() < deadline.toNanos()) {
        return null;
      }
      String who =
          monitor.reads() > 0
              ? "%d reads of its disks are not answered: check the disks".formatted(monitor.reads())
              : "the repository answers nothing: check its file system";
      return MoverException.of(
          ErrorCode.DEADLINE_PASSED,
          monitor.reads() > 0 ? Side.PROXY : Side.REPOSITORY,
          "nothing has moved for %d s, and %s; then run the backup again"
              .formatted(deadline.toSeconds(), who));
    }
  }

  @Override
  public void close() {
    timer.dispose();
  }
}
