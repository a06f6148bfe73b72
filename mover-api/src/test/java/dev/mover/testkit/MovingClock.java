package dev.mover.testkit;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicReference;

/** The system's clock, put forward or back, whatever zone it is looked at from. Thread-safe. */
public final class MovingClock extends Clock {
  private final AtomicReference<Duration> ahead;
  private final ZoneId zone;

  public MovingClock() {
    this(new AtomicReference<>(Duration.ZERO), ZoneOffset.UTC);
  }

  private MovingClock(AtomicReference<Duration> ahead, ZoneId zone) {
    this.ahead = ahead;
    this.zone = zone;
  }

  /** Puts it forward, or back, from where it is. */
  public void move(Duration by) {
    ahead.updateAndGet(before -> before.plus(by));
  }

  /** Lets it say that it is {@code now}, and go on from there. */
  public void set(Instant now) {
    ahead.set(Duration.between(Clock.systemUTC().instant(), now));
  }

  /** Right again. */
  public void reset() {
    ahead.set(Duration.ZERO);
  }

  @Override
  public Instant instant() {
    return Clock.systemUTC().instant().plus(ahead.get());
  }

  @Override
  public ZoneId getZone() {
    return zone;
  }

  @Override
  public Clock withZone(ZoneId other) {
    return new MovingClock(ahead, other);
  }
}
