package dev.mover.transport.frame;

/**
 * Blocks unchanged since the parent point (change tracking): the repository takes ids and places
 * from the parent's map. Zero ranges of the parent stay zero.
 *
 * <pre>
 * 0   u16   disk
 * 2   u64   first block
 * 10  u64   count               from 1; first + count below 2^63
 * </pre>
 */
public record Same(int disk, long firstBlock, long count) implements Frame {
  static final FrameCodec<Same> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Same same, FrameWriter out) {
          out.disk(same.disk()).i64(same.firstBlock()).i64(same.count());
        }

        @Override
        public Same read(FrameReader in) {
          Same same = new Same(in.disk(), in.notNegative(), in.notNegative());
          in.run(same.firstBlock, same.count);
          return same;
        }
      };
}
