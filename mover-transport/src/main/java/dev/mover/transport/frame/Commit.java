package dev.mover.transport.frame;

import java.util.UUID;

/**
 * All disks are ended: make the restore point. Idempotent by session id.
 *
 * <pre>
 * 0   uuid  session id
 * </pre>
 */
public record Commit(UUID sessionId) implements Frame {
  static final FrameCodec<Commit> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Commit commit, FrameWriter out) {
          out.uuid(commit.sessionId());
        }

        @Override
        public Commit read(FrameReader in) {
          return new Commit(in.uuid());
        }
      };
}
