package dev.mover.transport.frame;

/**
 * Asks for the wrapped keys of the open point, some at a time.
 *
 * <pre>
 * 0   u32   first               0, then one after the last that came; below 2^31
 * </pre>
 */
public record ReadKeys(int first) implements Frame {
  static final FrameCodec<ReadKeys> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(ReadKeys read, FrameWriter out) {
          out.i32(read.first());
        }

        @Override
        public ReadKeys read(FrameReader in) {
          int first = in.i32();
          in.check(first >= 0, "it asks for key " + first);
          return new ReadKeys(first);
        }
      };
}
