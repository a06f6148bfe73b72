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
 * @param disks 1 to {@link #MAX_DISKS}
 */
public record Open(UUID sessionId, Name machine, BlockSize blockSize, List<DiskSpec> disks)
    implements Frame {
  /** More disks than any hypervisor attaches to one machine. */
  public static final int MAX_DISKS = 256;

  public Open {
    disks = List.copyOf(disks);
  }
}
