package dev.mover.testkit;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** The system's clock, put forward or back. Thread-safe. */
public final class MovingClock extends Clock {
  private volatile Duration ahead = Duration.ZERO;

  /** Puts it forward, or back, from where it is. */
  public synchronized void move(Duration by) {
    ahead = ahead.plus(by);
  }

  /** Lets it say that it is {@code now}, and go on from there. */
  public synchronized void set(Instant now) {
    ahead = Duration.between(Clock.systemUTC().instant(), now);
  }

  /** Right again. */
  public synchronized void reset() {
    ahead = Duration.ZERO;
  }

  @Override
  public Instant instant() {
    return Clock.systemUTC().instant().plus(ahead);
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    throw new UnsupportedOperationException("moves as a whole");
  }
}
