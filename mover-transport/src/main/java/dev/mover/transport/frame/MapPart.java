package dev.mover.transport.frame;

import dev.mover.api.block.BlockId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Part of a disk's map, in block order, without a gap.
 *
 * @param runs 1 to {@link #MAX_RUNS}, or none when {@code fromBlock} is the end of the disk
 */
public record MapPart(int disk, long fromBlock, List<MapRun> runs) implements Frame {
  public static final int MAX_RUNS = 8192;

  public MapPart {
    runs = List.copyOf(runs);
  }

  /**
   * One block with data, or a run of zero blocks.
   *
   * @param id null for zeros
   * @param count 1 for data
   */
  public record MapRun(@Nullable BlockId id, long count) {}
}
