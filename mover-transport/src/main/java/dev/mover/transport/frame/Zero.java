package dev.mover.transport.frame;

/**
 * Blocks {@code firstBlock … firstBlock + count − 1} hold only zeros. With {@link Offer} and {@link
 * Same} this covers a disk once, in block order, without a gap.
 *
 * <pre>
 * 0   u16   disk
 * 2   u64   first block
 * 10  u64   count               from 1; first + count below 2^63
 * </pre>
 */
public record Zero(int disk, long firstBlock, long count) implements Frame {
  static final FrameCodec<Zero> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Zero zero, FrameWriter out) {
          out.disk(zero.disk()).i64(zero.firstBlock()).i64(zero.count());
        }

        @Override
        public Zero read(FrameReader in) {
          Zero zero = new Zero(in.disk(), in.notNegative(), in.notNegative());
          in.run(zero.firstBlock, zero.count);
          return zero;
        }
      };
}
