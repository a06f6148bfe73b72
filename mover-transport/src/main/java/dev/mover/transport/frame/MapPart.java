package dev.mover.transport.frame;

import dev.mover.api.block.BlockId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Part of a disk's map, in block order, without a gap.
 *
 * <pre>
 * 0   u16   disk
 * 2   u64   from block
 * 10  u16   count of runs       at most 8192
 * 12  run   × count: u8 1 | id  one block with data
 *                    u8 0 | u64 count, from 1: zero blocks
 *                    u8 2 | u64 count, from 1: lost blocks, of which nothing is known
 * </pre>
 *
 * @param runs 1 to {@link #MAX_RUNS}, or none when {@code fromBlock} is the end of the disk
 */
public record MapPart(int disk, long fromBlock, List<MapRun> runs) implements Frame {
  public static final int MAX_RUNS = 8192;

  private static final int ZEROS = 0;
  private static final int DATA = 1;
  private static final int LOST = 2;

  public MapPart {
    runs = List.copyOf(runs);
  }

  /**
   * One block with data, or a run of blocks without.
   *
   * @param id null but for data
   * @param count 1 for data
   * @param lost whether nothing is known of these blocks; else they are zeros, or data
   */
  public record MapRun(@Nullable BlockId id, long count, boolean lost) {
    public MapRun(@Nullable BlockId id, long count) {
      this(id, count, false);
    }
  }

  static final FrameCodec<MapPart> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(MapPart part, FrameWriter out) {
          out.disk(part.disk()).i64(part.fromBlock()).count(part.runs().size(), 0, MAX_RUNS);
          part.runs().forEach(run -> writeRun(run, out));
        }

        @Override
        public MapPart read(FrameReader in) {
          MapPart part =
              new MapPart(in.disk(), in.notNegative(), in.list(0, MAX_RUNS, () -> readRun(in)));
          long end = part.fromBlock;
          for (MapRun run : part.runs) {
            in.run(end, run.count);
            end += run.count;
          }
          return part;
        }
      };

  private static void writeRun(MapRun run, FrameWriter out) {
    BlockId id = run.id();
    if (id != null) {
      out.u8(DATA).id(id);
    } else {
      out.u8(run.lost() ? LOST : ZEROS).i64(run.count());
    }
  }

  private static MapRun readRun(FrameReader in) {
    int kind = in.u8();
    return switch (kind) {
      case DATA -> new MapRun(in.id(), 1);
      case ZEROS -> new MapRun(null, in.notNegative());
      case LOST -> new MapRun(null, in.notNegative(), true);
      default -> throw in.violation("a run of a map is of kind " + kind);
    };
  }
}
