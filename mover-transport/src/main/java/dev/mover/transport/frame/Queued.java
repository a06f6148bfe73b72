package dev.mover.transport.frame;

/**
 * No repository slot is free yet; sent again whenever the position changes.
 *
 * <pre>
 * 0   u16   disk
 * 2   u32   position            from 1
 * 6   text  reason
 * </pre>
 *
 * @param position 1 = next
 */
public record Queued(int disk, int position, String reason) implements Frame {
  static final FrameCodec<Queued> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Queued queued, FrameWriter out) {
          out.disk(queued.disk()).i32(queued.position()).text(queued.reason(), MAX_TEXT);
        }

        @Override
        public Queued read(FrameReader in) {
          Queued queued = new Queued(in.disk(), in.i32(), in.text(MAX_TEXT));
          in.check(queued.position >= 1, "its position is below 1");
          return queued;
        }
      };
}
