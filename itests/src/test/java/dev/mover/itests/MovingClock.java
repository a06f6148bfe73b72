package dev.mover.itests;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** The system's clock, put forward or back. */
final class MovingClock extends Clock {
  private volatile Duration ahead = Duration.ZERO;

  void move(Duration by) {
    ahead = ahead.plus(by);
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
