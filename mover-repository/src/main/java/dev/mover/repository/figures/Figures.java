package dev.mover.repository.figures;

import dev.mover.api.error.ErrorCode;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counted where it happens, read by whoever watches. Any thread. */
public final class Figures {
  private final LongAdder receivedBytes = new LongAdder();
  private final LongAdder storedBytes = new LongAdder();
  private final LongAdder linkedBytes = new LongAdder();
  private final LongAdder servedBytes = new LongAdder();
  private final LongAdder deletedPoints = new LongAdder();
  private final Timed commits = new Timed();
  private final Timed checkpoints = new Timed();
  private final Map<ErrorCode, LongAdder> errors = new EnumMap<>(ErrorCode.class);

  public Figures() {
    for (ErrorCode code : ErrorCode.values()) {
      errors.put(code, new LongAdder());
    }
  }

  /**
   * How often something was done, and for how long in all.
   *
   * @param count of what has ended
   */
  public record Times(long count, long totalNs) {}

  private static final class Timed {
    private final LongAdder count = new LongAdder();
    private final LongAdder totalNs = new LongAdder();

    void add(long ns) {
      count.increment();
      totalNs.add(ns);
    }

    Times times() {
      return new Times(count.sum(), totalNs.sum());
    }
  }

  public void received(long payloadBytes) {
    receivedBytes.add(payloadBytes);
  }

  public void stored(long slotBytes) {
    storedBytes.add(slotBytes);
  }

  public void linked(long slotBytes) {
    linkedBytes.add(slotBytes);
  }

  public void served(long payloadBytes) {
    servedBytes.add(payloadBytes);
  }

  /** A point was deleted, by somebody or by a retention. */
  public void deleted() {
    deletedPoints.increment();
  }

  public void committed(long ns) {
    commits.add(ns);
  }

  public void checkpointed(long ns) {
    checkpoints.add(ns);
  }

  /** A link ended with this error, whichever side it came from. */
  public void failed(ErrorCode code) {
    LongAdder count = errors.get(code);
    if (count != null) {
      count.increment();
    }
  }

  /** Points that were deleted. */
  public long deletedPoints() {
    return deletedPoints.sum();
  }

  /** Payloads of blocks that came in. */
  public long receivedBytes() {
    return receivedBytes.sum();
  }

  /** Slots written, with headers and padding. */
  public long storedBytes() {
    return storedBytes.sum();
  }

  /** Slots that committed points share with others. */
  public long linkedBytes() {
    return linkedBytes.sum();
  }

  /** Payloads of blocks that went out to restores. */
  public long servedBytes() {
    return servedBytes.sum();
  }

  public Times commits() {
    return commits.times();
  }

  public Times checkpoints() {
    return checkpoints.times();
  }

  /** How many links ended with this error. */
  public long errors(ErrorCode code) {
    LongAdder count = errors.get(code);
    return count == null ? 0 : count.sum();
  }
}
