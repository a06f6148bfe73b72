package dev.mover.proxy;

import java.time.Duration;
import java.util.List;

/**
 * A disk that was restored: every block that was written had its id and the disk's map its digest.
 *
 * @param writtenBytes plain bytes written; zeros that needed no writing are not in it
 * @param receivedBytes payload bytes received
 * @param badRanges parts that could not be restored and read as zeros, by offset; only a tolerant
 *     restore has any. The first {@link #MOST_RANGES}
 * @param badBytes of all such parts
 */
public record RestoreResult(
    String machine,
    long sequence,
    String disk,
    long sizeBytes,
    long writtenBytes,
    long receivedBytes,
    Duration total,
    List<BadRange> badRanges,
    long badBytes) {
  /** A disk with more holes than that is lost, whatever else they are. */
  public static final int MOST_RANGES = 64 << 10;

  public RestoreResult {
    badRanges = List.copyOf(badRanges);
  }

  /** Neighbouring bytes of the disk. */
  public record BadRange(long offset, long length) {}
}
