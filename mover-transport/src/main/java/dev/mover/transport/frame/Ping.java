package dev.mover.transport.frame;

/**
 * Asks for a {@link Pong} with the same number; sent when a link was silent for a while.
 *
 * <pre>
 * 0   u64   number
 * </pre>
 */
public record Ping(long number) implements Frame {
  static final FrameCodec<Ping> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Ping ping, FrameWriter out) {
          out.i64(ping.number());
        }

        @Override
        public Ping read(FrameReader in) {
          return new Ping(in.i64());
        }
      };
}
