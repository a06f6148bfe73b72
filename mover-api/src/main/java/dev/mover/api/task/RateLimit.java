package dev.mover.api.task;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * A limit in bytes a second that many share. Bytes are earned by time, at most {@value #BURST_MS}
 * ms worth in advance; whoever asks for more than that gets it all the same and leaves a debt. So
 * over any interval no more passes than rate × time and one burst, which is {@value #BURST_MS} ms
 * worth or the largest single piece, whichever is more.
 *
 * <p>Asking never blocks and fits both sorts of user: a thread that may wait ({@link #take}) and a
 * loop that must not ({@link #tryTake}). The rate may be changed at any time and holds from then
 * on, also for those who wait. Nobody is served in order: queues belong to the users. Thread-safe.
 */
public final class RateLimit {
  /** No limit: everything passes at once. */
  public static final long NONE = 0;

  /** Long enough that a late timer costs no throughput, too short to fill a router's queue. */
  private static final long BURST_MS = 100;

  /** How soon a waiting thread sees a changed rate or that it is over. */
  private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(50);

  private static final double SECOND_NS = 1e9;

  private final LongSupplier clockNs;
  private volatile long bytesPerSec;
  private double levelBytes;
  private long atNs;

  /**
   * A limit that anybody may change.
   *
   * @param bytesPerSec 0: none
   */
  public RateLimit(long bytesPerSec) {
    this(bytesPerSec, System::nanoTime);
  }

  /**
   * As {@link #RateLimit(long)}.
   *
   * @param clockNs never goes back
   */
  public RateLimit(long bytesPerSec, LongSupplier clockNs) {
    this.clockNs = clockNs;
    this.atNs = clockNs.getAsLong();
    this.bytesPerSec = checked(bytesPerSec);
    this.levelBytes = mostBytes();
  }

  /** Holds from now on; what was earned or is owed stays. */
  public synchronized void set(long newBytesPerSec) {
    checked(newBytesPerSec);
    boolean wasNone = bytesPerSec == NONE;
    earn();
    bytesPerSec = newBytesPerSec;
    levelBytes = wasNone ? mostBytes() : Math.min(levelBytes, mostBytes());
  }

  /** 0: none. */
  public long bytesPerSec() {
    return bytesPerSec;
  }

  /**
   * Takes {@code bytes} now, or nothing.
   *
   * @return 0 when they were taken; else the nanoseconds after which it is worth asking again, at
   *     least 1
   */
  public long tryTake(long bytes) {
    if (bytesPerSec == NONE) {
      return 0;
    }
    synchronized (this) {
      earn();
      long waitNs = waitNs(bytes);
      if (waitNs == 0) {
        levelBytes -= bytes;
      }
      return waitNs;
    }
  }

  /** What {@link #tryTake} would say now, without taking anything. */
  public synchronized long waitNs(long bytes) {
    long rate = bytesPerSec;
    if (rate == NONE) {
      return 0;
    }
    earn();
    double missing = Math.min((double) bytes, mostBytes()) - levelBytes;
    return missing <= 0 ? 0 : (long) Math.ceil(missing * SECOND_NS / rate);
  }

  /** Gives back what was taken and not used. */
  public synchronized void giveBack(long bytes) {
    earn();
    levelBytes = Math.min(levelBytes + bytes, mostBytes());
  }

  /**
   * Takes {@code bytes}, waiting as long as that takes; for threads that may. An interrupt is
   * ignored: who waits here is ended by {@code over}.
   *
   * @param over ends the wait soon after it becomes true; nothing was taken then
   */
  public void take(long bytes, BooleanSupplier over) {
    long waitNs = tryTake(bytes);
    while (waitNs > 0 && !over.getAsBoolean()) {
      LockSupport.parkNanos(this, Math.min(waitNs, LOOK_NS));
      waitNs = tryTake(bytes);
    }
  }

  /** How long {@code bytes} take at the rate in force; 0 without a limit. */
  public long timeNs(long bytes) {
    long rate = bytesPerSec;
    return rate == NONE ? 0 : (long) (bytes * SECOND_NS / rate);
  }

  private void earn() {
    long now = clockNs.getAsLong();
    double earned = (now - atNs) * (double) bytesPerSec / SECOND_NS;
    levelBytes = Math.min(levelBytes + earned, mostBytes());
    atNs = now;
  }

  private double mostBytes() {
    return bytesPerSec * (BURST_MS / 1e3);
  }

  private static long checked(long bytesPerSec) {
    if (bytesPerSec < 0) {
      throw new IllegalArgumentException("a rate of " + bytesPerSec + " bytes a second");
    }
    return bytesPerSec;
  }
}
