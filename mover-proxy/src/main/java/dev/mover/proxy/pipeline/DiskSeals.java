package dev.mover.proxy.pipeline;

import dev.mover.api.block.BlockId;
import dev.mover.api.point.DiskSpec;
import dev.mover.dedup.domain.Seals;
import dev.mover.proxy.BackupRequest;
import java.util.Optional;
import java.util.UUID;

/** Seals the disks of one session, once it has its point's sequence. Guarded by the monitor. */
final class DiskSeals {
  private final BackupRequest request;
  private final UUID sessionId;
  private final Optional<Seals> seals;
  private long sequence;

  DiskSeals(BackupRequest request, UUID sessionId, Encryption encryption) {
    this.request = request;
    this.sessionId = sessionId;
    this.seals = encryption.seals();
  }

  /** The repository said which point of the machine this will be. */
  void opened(long itsSequence) {
    sequence = itsSequence;
  }

  /** The disk's seal; {@link BlockId#NONE} when nothing is encrypted. */
  BlockId of(DiskSpec disk, BlockId digest) {
    return seals
        .map(s -> s.of(sessionId, request.machine(), sequence, request.blockSize(), disk, digest))
        .orElse(BlockId.NONE);
  }
}
