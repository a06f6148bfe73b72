package dev.mover.api.point;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * A committed backup file, described.
 *
 * @param sequence 1, 2, 3 … per machine; orders points, where clocks may not
 * @param fileId never reused
 * @param createdAt the repository's clock at commit
 * @param fileBytes length of the backup file (shared extents counted in full)
 * @param newBytes of those, bytes this session stored anew (the rest are links)
 */
public record RestorePoint(
    Name machine,
    long sequence,
    UUID fileId,
    UUID sessionId,
    Instant createdAt,
    BlockSize blockSize,
    List<Disk> disks,
    long fileBytes,
    long newBytes) {

  public RestorePoint {
    disks = List.copyOf(disks);
  }

  /** One disk of a point with its digest. */
  public record Disk(DiskSpec spec, BlockId digest) {}

  /** What the machine's disks would take if stored plain. */
  public long sizeBytes() {
    return disks.stream().mapToLong(d -> d.spec().sizeBytes()).sum();
  }
}
