package dev.mover.transport.frame;

/**
 * Where a session's time went on the repository's side since it was opened; each number only grows.
 *
 * <pre>
 * 0   u64   busy ns
 * 8   u64   input wait ns
 * 16  u64   output wait ns
 * 24  u64   bytes
 * </pre>
 *
 * @param busyNs time in which at least one slot of the session was being written, or waited for a
 *     rate limit
 * @param inputWaitNs time in which it had a task and waited for blocks to come in
 * @param outputWaitNs of the busy time, what went into the disk's sync and rate limits
 * @param bytes written, headers and padding included
 */
public record TargetFigures(long busyNs, long inputWaitNs, long outputWaitNs, long bytes) {
  static final int BYTES = 32;

  /** Nothing was measured. */
  public static final TargetFigures NONE = new TargetFigures(0, 0, 0, 0);

  static TargetFigures read(FrameReader in) {
    return new TargetFigures(
        in.notNegative(), in.notNegative(), in.notNegative(), in.notNegative());
  }

  void write(FrameWriter out) {
    out.i64(busyNs).i64(inputWaitNs).i64(outputWaitNs).i64(bytes);
  }
}
