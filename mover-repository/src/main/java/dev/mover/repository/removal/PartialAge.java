package dev.mover.repository.removal;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.point.Name;
import dev.mover.api.point.Partial;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.scheduler.Schedulers;

/**
 * Removes partials that nobody has written to for long: their machine is not backed up any more, or
 * makes its points elsewhere. A machine that has a session keeps its partials whatever the clock
 * says, and one that was written to in the future, by a clock that was set back since, is not old.
 * Thread-safe.
 */
public final class PartialAge implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PartialAge.class);
  private static final long LOOK_SECONDS = 3600;
  private static final int AT_ONCE = 64;

  private final KnownPartials partials;
  private final Executor upkeep;
  private final BooleanSupplier closing;
  private final Clock clock;
  private final Disposable.Swap next = Disposables.swap();
  private Duration most = Duration.ZERO;
  private boolean looking;

  /**
   * @param upkeep where it looks, and may take long
   * @param closing whether to stop
   */
  public PartialAge(KnownPartials partials, Executor upkeep, BooleanSupplier closing, Clock clock) {
    this.partials = partials;
    this.upkeep = upkeep;
    this.closing = closing;
    this.clock = clock;
  }

  /**
   * Looks now, and every hour from then on.
   *
   * @param age how long after it was last written to a partial goes; zero: never
   */
  public synchronized void limit(Duration age) {
    most = age;
    if (!looking && age.isPositive()) {
      looking = true;
      upkeep.execute(this::lookAgainAndAgain);
    }
  }

  private void lookAgainAndAgain() {
    try {
      removeOld(most());
    } catch (RuntimeException e) {
      LOG.warn("old partials stay for another hour: {}", e.getMessage());
    }
    if (!closing.getAsBoolean()) {
      next.update(
          Schedulers.parallel()
              .schedule(
                  () -> upkeep.execute(this::lookAgainAndAgain), LOOK_SECONDS, TimeUnit.SECONDS));
    }
  }

  private synchronized Duration most() {
    return most;
  }

  /**
   * Blocks until all that are old now are gone; how many.
   *
   * @param age how long after it was last written to a partial is old; zero: none ever is
   */
  public int removeOld(Duration age) {
    Predicate<Partial> old =
        partial -> age.isPositive() && !partial.writtenAt().plus(age).isAfter(clock.instant());
    int removed = 0;
    for (Name machine : partials.machines(old)) {
      removed += closing.getAsBoolean() ? 0 : removeOld(machine, old, age);
    }
    return removed;
  }

  private int removeOld(Name machine, Predicate<Partial> old, Duration age) {
    String why = "not written to for %d days".formatted(age.toDays());
    try (RemovedPartials removed = partials.remove(machine, old, AT_ONCE, why)) {
      removed.forget(closing);
      return removed.partials().size();
    } catch (MoverException e) {
      if (e.code() == ErrorCode.MACHINE_BUSY) {
        LOG.debug("{}: old partials stay: {}", machine, e.getMessage());
      } else {
        LOG.warn("{}: old partials stay for another hour: {}", machine, e.getMessage());
      }
      return 0;
    }
  }

  @Override
  public void close() {
    next.dispose();
  }
}
