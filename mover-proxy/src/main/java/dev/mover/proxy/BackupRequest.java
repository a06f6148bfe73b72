package dev.mover.proxy;

import dev.mover.api.block.BlockSize;
import dev.mover.api.point.Name;
import dev.mover.api.source.DiskSource;
import dev.mover.dedup.codec.Compression;
import dev.mover.dedup.domain.WriterKeys;
import java.util.List;
import java.util.Optional;

/**
 * One machine to back up.
 *
 * @param disks open sources, 1 to 256, with different names; the run closes them, however it ends
 * @param domain in which to encrypt, if any
 * @param mostTasks most of the disks at once, at least 1; the proxy's slots may allow fewer
 */
public record BackupRequest(
    Name machine,
    List<DiskSource> disks,
    BlockSize blockSize,
    Compression compression,
    int mostTasks,
    Optional<WriterKeys> domain) {
  public BackupRequest {
    disks = List.copyOf(disks);
  }

  /** As many disks at once as the proxy has slots for. */
  public BackupRequest(
      Name machine, List<DiskSource> disks, BlockSize blockSize, Compression compression) {
    this(machine, disks, blockSize, compression, disks.size());
  }

  /** Not encrypted. */
  public BackupRequest(
      Name machine,
      List<DiskSource> disks,
      BlockSize blockSize,
      Compression compression,
      int mostTasks) {
    this(machine, disks, blockSize, compression, mostTasks, Optional.empty());
  }
}
