package dev.mover.proxy.restore;

import dev.mover.api.error.DataException;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.Side;
import java.util.ArrayDeque;
import java.util.Deque;

/** Runs of blocks of which the repository knows nothing, in block order. One thread. */
final class LostRuns {
  /** A damaged page of the map is one; 3 MiB. */
  private static final int MOST = 1 << 16;

  private final Deque<Run> runs = new ArrayDeque<>();

  private record Run(long block, long count) {}

  /** Takes a run. */
  @FunctionalInterface
  interface RunConsumer {
    void take(long block, long count);
  }

  void add(long block, long count) {
    if (runs.size() == MOST) {
      throw new DataException(
          ErrorCode.METADATA_DAMAGED,
          Side.REPOSITORY,
          "the map of the disk is damaged in more than %d places; restore an earlier point"
              .formatted(MOST));
    }
    runs.add(new Run(block, count));
  }

  boolean isEmpty() {
    return runs.isEmpty();
  }

  /** Gives those that begin before {@code block}, and forgets them. */
  void takeBefore(long block, RunConsumer consumer) {
    for (Run run = runs.peek(); run != null && run.block() < block; run = runs.peek()) {
      runs.remove();
      consumer.take(run.block(), run.count());
    }
  }
}
