package dev.mover.proxy.pipeline;

import java.util.concurrent.atomic.LongAdder;

/** What a session has done so far, in bytes. Any thread. */
final class Counters {
  private final LongAdder read = new LongAdder();
  private final LongAdder zero = new LongAdder();
  private final LongAdder known = new LongAdder();
  private final LongAdder stored = new LongAdder();
  private final LongAdder sentPlain = new LongAdder();
  private final LongAdder sent = new LongAdder();

  void read(long bytes) {
    read.add(bytes);
  }

  void zero(long bytes) {
    zero.add(bytes);
  }

  void known(long bytes) {
    known.add(bytes);
  }

  void stored(long plainBytes) {
    stored.add(plainBytes);
  }

  void sent(long plainBytes, long payloadBytes) {
    sentPlain.add(plainBytes);
    sent.add(payloadBytes);
  }

  long readBytes() {
    return read.sum();
  }

  long zeroBytes() {
    return zero.sum();
  }

  long knownBytes() {
    return known.sum();
  }

  long sentPlainBytes() {
    return sentPlain.sum();
  }

  long sentBytes() {
    return sent.sum();
  }

  /** Bytes of disk that need nothing more: zero, known, or acknowledged. */
  long doneBytes() {
    return zero.sum() + known.sum() + stored.sum();
  }
}
