package dev.mover.transport.frame;

/**
 * The sender gives the session up; what is durable stays as a partial.
 *
 * <pre>
 * 0   text  reason
 * </pre>
 */
public record Abort(String reason) implements Frame {
  static final FrameCodec<Abort> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Abort abort, FrameWriter out) {
          out.text(abort.reason(), MAX_TEXT);
        }

        @Override
        public Abort read(FrameReader in) {
          return new Abort(in.text(MAX_TEXT));
        }
      };
}
