package dev.mover.proxy;

import dev.mover.api.block.BlockSize;
import dev.mover.api.point.Name;
import dev.mover.api.source.DiskSource;
import dev.mover.dedup.codec.Compression;
import java.util.List;

/**
 * One machine to back up.
 *
 * @param disks open sources, 1 to 256, with different names; the run closes them, however it ends
 */
public record BackupRequest(
    Name machine, List<DiskSource> disks, BlockSize blockSize, Compression compression) {
  public BackupRequest {
    disks = List.copyOf(disks);
  }
}
