package dev.mover.transport.frame;

/**
 * Asks for every data block of a disk, in the order that suits the repository's storage, as {@link
 * BulkHeader DATA} frames under the credit the receiver gives.
 *
 * <pre>
 * 0   u16   disk
 * </pre>
 */
public record Get(int disk) implements Frame {
  static final FrameCodec<Get> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Get get, FrameWriter out) {
          out.disk(get.disk());
        }

        @Override
        public Get read(FrameReader in) {
          return new Get(in.disk());
        }
      };
}
