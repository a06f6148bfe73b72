package dev.mover.api.point;

import java.util.List;

/**
 * Points of one machine that were deleted, or would be.
 *
 * @param sequences of the points, ascending, at most {@link #MAX_POINTS}
 * @param keptCount how many points the machine keeps
 * @param atLeastBytes what certainly comes back
 * @param atMostBytes what comes back when nothing else shares it
 * @param problem why nothing, or less than was asked for, was done; empty: all was
 */
public record Removal(
    String machine,
    List<Long> sequences,
    long keptCount,
    long atLeastBytes,
    long atMostBytes,
    String problem) {
  /** A machine that loses more is told of several times. */
  public static final int MAX_POINTS = 4096;

  public Removal {
    sequences = List.copyOf(sequences);
  }
}
