package dev.mover.transport.frame;

/**
 * The receiver of bulk frames allows this many bytes more in flight, on top of what is left.
 *
 * <pre>
 * 0   u64   bytes               from 1
 * </pre>
 */
public record Credit(long bytes) implements Frame {
  static final FrameCodec<Credit> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Credit credit, FrameWriter out) {
          out.i64(credit.bytes());
        }

        @Override
        public Credit read(FrameReader in) {
          Credit credit = new Credit(in.notNegative());
          in.check(credit.bytes > 0, "it gives nothing");
          return credit;
        }
      };
}
