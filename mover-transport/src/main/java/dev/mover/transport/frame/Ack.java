package dev.mover.transport.frame;

import java.util.List;

/**
 * These blocks are written (not yet durable, see {@link Checkpoint}).
 *
 * <pre>
 * 0   u16   disk
 * 2   u16   count               1 to 256
 * 4   u64   block × count
 * </pre>
 *
 * @param blocks 1 to {@link #MAX_BLOCKS} block indexes, any order
 */
public record Ack(int disk, List<Long> blocks) implements Frame {
  public static final int MAX_BLOCKS = 256;

  public Ack {
    blocks = List.copyOf(blocks);
  }

  static final FrameCodec<Ack> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Ack ack, FrameWriter out) {
          out.disk(ack.disk()).count(ack.blocks().size(), 1, MAX_BLOCKS);
          ack.blocks().forEach(out::i64);
        }

        @Override
        public Ack read(FrameReader in) {
          return new Ack(in.disk(), in.list(1, MAX_BLOCKS, in::notNegative));
        }
      };
}
