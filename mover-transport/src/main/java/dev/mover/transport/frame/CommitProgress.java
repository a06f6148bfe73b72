package dev.mover.transport.frame;

/**
 * Commit goes on.
 *
 * <pre>
 * 0   u8    percent             0 to 100
 * 1   text  phase
 * </pre>
 *
 * @param percent 0 to 100, monotone
 */
public record CommitProgress(int percent, String phase) implements Frame {
  static final FrameCodec<CommitProgress> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(CommitProgress progress, FrameWriter out) {
          out.u8(progress.percent()).text(progress.phase(), MAX_TEXT);
        }

        @Override
        public CommitProgress read(FrameReader in) {
          CommitProgress progress = new CommitProgress(in.u8(), in.text(MAX_TEXT));
          in.check(progress.percent <= 100, "it is beyond 100 percent");
          return progress;
        }
      };
}
