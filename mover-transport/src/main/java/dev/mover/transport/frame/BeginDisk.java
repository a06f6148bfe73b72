package dev.mover.transport.frame;

/**
 * The proxy has a task slot for this disk and asks for the repository's.
 *
 * <pre>
 * 0   u16   disk
 * </pre>
 */
public record BeginDisk(int disk) implements Frame {
  static final FrameCodec<BeginDisk> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(BeginDisk begin, FrameWriter out) {
          out.disk(begin.disk());
        }

        @Override
        public BeginDisk read(FrameReader in) {
          return new BeginDisk(in.disk());
        }
      };
}
