package dev.mover.transport.frame;

import java.util.List;

/**
 * The repository must have these blocks after all (a clone failed and the source slot is damaged).
 * Comes instead of {@link Committed}; the proxy reads and sends them again, then commits again.
 *
 * <pre>
 * 0   u16   disk
 * 2   u8    last                0 or 1
 * 3   u16   count               1 to 256
 * 5   u64   block × count
 * </pre>
 *
 * @param blocks 1 to {@link Ack#MAX_BLOCKS} block indexes; several frames may come
 * @param last no further {@code NEED} follows for this commit
 */
public record Need(int disk, List<Long> blocks, boolean last) implements Frame {
  public Need {
    blocks = List.copyOf(blocks);
  }

  static final FrameCodec<Need> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Need need, FrameWriter out) {
          out.disk(need.disk()).flag(need.last()).count(need.blocks().size(), 1, Ack.MAX_BLOCKS);
          need.blocks().forEach(out::i64);
        }

        @Override
        public Need read(FrameReader in) {
          int disk = in.disk();
          boolean last = in.flag();
          return new Need(disk, in.list(1, Ack.MAX_BLOCKS, in::notNegative), last);
        }
      };
}
