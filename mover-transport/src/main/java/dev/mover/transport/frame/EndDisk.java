package dev.mover.transport.frame;

import dev.mover.api.block.BlockId;

/**
 * All blocks of the disk were offered and every wanted one acknowledged; gives back the task slot.
 *
 * <pre>
 * 0   u16   disk
 * 2   id    digest
 * 34  id    seal                zeros: not sealed
 * </pre>
 *
 * @param digest {@link dev.mover.api.block.DiskDigest} as the proxy computed it; the repository
 *     compares it with its own
 * @param seal what the key domain says of the disk; the repository keeps it and can't check it
 */
public record EndDisk(int disk, BlockId digest, BlockId seal) implements Frame {
  /** Not sealed. */
  public EndDisk(int disk, BlockId digest) {
    this(disk, digest, BlockId.NONE);
  }

  static final FrameCodec<EndDisk> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(EndDisk end, FrameWriter out) {
          out.disk(end.disk()).id(end.digest()).id(end.seal());
        }

        @Override
        public EndDisk read(FrameReader in) {
          return new EndDisk(in.disk(), in.id(), in.id());
        }
      };
}
