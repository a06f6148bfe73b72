package dev.mover.transport.frame;

import dev.mover.api.block.BlockId;

/**
 * All blocks of the disk were offered and every wanted one acknowledged; gives back the task slot.
 *
 * <pre>
 * 0   u16   disk
 * 2   id    digest
 * </pre>
 *
 * @param digest {@link dev.mover.api.block.DiskDigest} as the proxy computed it; the repository
 *     compares it with its own
 */
public record EndDisk(int disk, BlockId digest) implements Frame {
  static final FrameCodec<EndDisk> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(EndDisk end, FrameWriter out) {
          out.disk(end.disk()).id(end.digest());
        }

        @Override
        public EndDisk read(FrameReader in) {
          return new EndDisk(in.disk(), in.id());
        }
      };
}
