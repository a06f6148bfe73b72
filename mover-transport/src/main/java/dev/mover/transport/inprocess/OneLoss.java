package dev.mover.transport.inprocess;

import java.util.concurrent.atomic.AtomicBoolean;

/** Fair but for one frame of the first link that has so many; for tests. Thread-safe. */
public final class OneLoss implements LinkWeather {
  private final Direction direction;
  private final long frame;
  private final AtomicBoolean lost = new AtomicBoolean();

  public OneLoss(Direction direction, long frame) {
    this.direction = direction;
    this.frame = frame;
  }

  /** Whether it came to that. */
  public boolean hasLost() {
    return lost.get();
  }

  @Override
  public long delayMicros(Direction asked, long at) {
    return 0;
  }

  @Override
  public boolean loses(Direction asked, long at) {
    return asked == direction && at == frame && lost.compareAndSet(false, true);
  }
}
