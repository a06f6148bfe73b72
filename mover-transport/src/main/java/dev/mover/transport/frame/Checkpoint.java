package dev.mover.transport.frame;

/**
 * Everything acknowledged before this frame is durable and, if the session dies, known to the next.
 *
 * <pre>
 * 0   u64      stored bytes
 * 8   figures  {@link TargetFigures}, 32 bytes
 * </pre>
 *
 * @param storedBytes durable so far in this session's file
 * @param figures where the session's time went so far
 */
public record Checkpoint(long storedBytes, TargetFigures figures) implements Frame {
  static final FrameCodec<Checkpoint> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Checkpoint checkpoint, FrameWriter out) {
          out.i64(checkpoint.storedBytes());
          checkpoint.figures().write(out);
        }

        @Override
        public Checkpoint read(FrameReader in) {
          return new Checkpoint(in.notNegative(), TargetFigures.read(in));
        }
      };
}
