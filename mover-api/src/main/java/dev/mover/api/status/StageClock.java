package dev.mover.api.status;

/**
 * Measures how long a stage is busy, waits for input, or waits for output. It is always in one of
 * these states, so the three times add up to the time it ran. Not thread-safe: its owner's lock
 * guards it.
 */
public final class StageClock {
  /** What a stage is doing. */
  public enum State {
    STOPPED,
    BUSY,
    INPUT_WAIT,
    OUTPUT_WAIT
  }

  private State state = State.STOPPED;
  private long sinceNs;
  private long busyNs;
  private long inputWaitNs;
  private long outputWaitNs;

  /** From {@code nowNs} ({@link System#nanoTime}) on the stage is in {@code next}. */
  public void set(State next, long nowNs) {
    if (next != state) {
      account(nowNs);
      state = next;
    }
  }

  /** The figures up to now; the clock runs on. */
  public StageFigures figures(long bytes, long nowNs) {
    account(nowNs);
    return new StageFigures(busyNs, inputWaitNs, outputWaitNs, bytes);
  }

  private void account(long nowNs) {
    long spent = nowNs - sinceNs;
    switch (state) {
      case STOPPED -> {}
      case BUSY -> busyNs += spent;
      case INPUT_WAIT -> inputWaitNs += spent;
      case OUTPUT_WAIT -> outputWaitNs += spent;
    }
    sinceNs = nowNs;
  }
}
