package dev.mover.proxy.restore;

import dev.mover.proxy.RestoreResult;
import dev.mover.proxy.RestoreResult.BadRange;
import java.util.ArrayList;
import java.util.List;

/** Collects blocks that could not be restored as ranges of their disk. One thread. */
final class BadRanges {
  private final Plan plan;
  private final List<BadRange> ranges = new ArrayList<>();
  private long from;
  private long end;
  private long bytes;

  BadRanges(Plan plan) {
    this.plan = plan;
  }

  /** Runs of blocks come in rising order. */
  void add(long block, long count) {
    long offset = plan.offset(block);
    long length = plan.lengthOf(block, count);
    if (offset != end || from == end) {
      close();
      from = offset;
    }
    end = offset + length;
    bytes += length;
  }

  /** The ranges so far; ends the last. */
  List<BadRange> ranges() {
    close();
    return ranges;
  }

  long bytes() {
    return bytes;
  }

  private void close() {
    if (end > from && ranges.size() < RestoreResult.MOST_RANGES) {
      ranges.add(new BadRange(from, end - from));
    }
    from = end;
  }
}
