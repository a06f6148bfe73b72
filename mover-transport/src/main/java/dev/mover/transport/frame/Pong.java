package dev.mover.transport.frame;

/**
 * Answers {@link Ping}.
 *
 * <pre>
 * 0   u64   number
 * </pre>
 */
public record Pong(long number) implements Frame {
  static final FrameCodec<Pong> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Pong pong, FrameWriter out) {
          out.i64(pong.number());
        }

        @Override
        public Pong read(FrameReader in) {
          return new Pong(in.i64());
        }
      };
}
