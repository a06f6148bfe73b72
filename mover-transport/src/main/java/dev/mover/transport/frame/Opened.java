package dev.mover.transport.frame;

import java.util.UUID;

/**
 * The session is open; nothing runs until a disk's task slot is granted.
 *
 * <pre>
 * 0   uuid  file id
 * 16  u64   sequence
 * 24  u64   parent sequence     0: none
 * </pre>
 *
 * @param fileId of the backup file that is being written
 * @param sequence the point will have when committed, unless another session commits first
 * @param parentSequence the machine's newest point, 0 when there is none
 */
public record Opened(UUID fileId, long sequence, long parentSequence) implements Frame {
  static final FrameCodec<Opened> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Opened opened, FrameWriter out) {
          out.uuid(opened.fileId()).i64(opened.sequence()).i64(opened.parentSequence());
        }

        @Override
        public Opened read(FrameReader in) {
          return new Opened(in.uuid(), in.notNegative(), in.notNegative());
        }
      };
}
