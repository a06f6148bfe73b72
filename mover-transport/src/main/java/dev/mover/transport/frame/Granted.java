package dev.mover.transport.frame;

/**
 * The disk may be streamed now.
 *
 * <pre>
 * 0   u16   disk
 * 2   u64   credit in bytes
 * </pre>
 *
 * @param creditBytes adds to the session's credit; every {@link BulkHeader BLOCK} costs {@link
 *     BulkHeader#cost}
 */
public record Granted(int disk, long creditBytes) implements Frame {
  static final FrameCodec<Granted> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Granted granted, FrameWriter out) {
          out.disk(granted.disk()).i64(granted.creditBytes());
        }

        @Override
        public Granted read(FrameReader in) {
          return new Granted(in.disk(), in.notNegative());
        }
      };
}
