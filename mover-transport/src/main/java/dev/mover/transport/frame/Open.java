package dev.mover.transport.frame;

import dev.mover.api.block.BlockSize;
import dev.mover.api.point.DiskSpec;
import dev.mover.api.point.Name;
import java.util.List;
import java.util.UUID;

/**
 * Asks for a backup session of one machine. The session id is the proxy's and makes {@link Commit}
 * idempotent; all disks of the machine are named here, in the order of their indexes.
 *
 * <pre>
 * 0   uuid  session id
 * 16  u32   block size          one of the four, in bytes
 * 20  name  machine
 * ..  u16   count of disks      1 to 256
 * ..  disk  × count: name | u64 size in bytes | u16 sector size
 * </pre>
 *
 * @param disks 1 to {@link #MAX_DISKS}
 */
public record Open(UUID sessionId, Name machine, BlockSize blockSize, List<DiskSpec> disks)
    implements Frame {
  /** More disks than any hypervisor attaches to one machine. */
  public static final int MAX_DISKS = 256;

  public Open {
    disks = List.copyOf(disks);
  }

  static final FrameCodec<Open> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Open open, FrameWriter out) {
          out.uuid(open.sessionId()).i32(open.blockSize().bytes()).name(open.machine());
          out.count(open.disks().size(), 1, MAX_DISKS);
          open.disks().forEach(out::diskSpec);
        }

        @Override
        public Open read(FrameReader in) {
          UUID sessionId = in.uuid();
          BlockSize blockSize = in.blockSize();
          Name machine = in.name();
          return new Open(sessionId, machine, blockSize, in.list(1, MAX_DISKS, in::diskSpec));
        }
      };
}
