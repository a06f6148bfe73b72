package dev.mover.transport.frame;

/**
 * The sender closes the link in good order; a link that ends without it (or ERROR) was lost.
 *
 * <pre>
 * (no payload)
 * </pre>
 */
public record Bye() implements Frame {
  static final FrameCodec<Bye> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Bye bye, FrameWriter out) {
          // nothing to say
        }

        @Override
        public Bye read(FrameReader in) {
          return new Bye();
        }
      };
}
