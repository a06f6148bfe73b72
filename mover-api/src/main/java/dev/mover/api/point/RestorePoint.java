package dev.mover.api.point;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.block.SessionKey;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * A committed backup file, described.
 *
 * @param sequence 1, 2, 3 … per machine; orders points, where clocks may not
 * @param fileId never reused
 * @param createdAt the repository's clock at commit
 * @param disks at least one; none when its file can't be read, and then only machine, sequence,
 *     file id and file bytes mean something
 * @param fileBytes length of the backup file (shared extents counted in full)
 * @param newBytes of those, bytes this session stored anew (the rest are links)
 * @param domain key domain it is encrypted in; {@link SessionKey#NO_DOMAIN}: it is not
 * @param checkedAt when every block was last checked; {@link Instant#EPOCH}: never, or nobody knows
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
    long newBytes,
    Instant checkedAt,
    UUID domain) {

  public RestorePoint {
    disks = List.copyOf(disks);
  }

  /** One that is not encrypted, and was not checked since it was made. */
  public RestorePoint(
      Name machine,
      long sequence,
      UUID fileId,
      UUID sessionId,
      Instant createdAt,
      BlockSize blockSize,
      List<Disk> disks,
      long fileBytes,
      long newBytes) {
    this(
        machine,
        sequence,
        fileId,
        sessionId,
        createdAt,
        blockSize,
        disks,
        fileBytes,
        newBytes,
        Instant.EPOCH,
        SessionKey.NO_DOMAIN);
  }

  /** Whether only a key domain's private key makes disks of it. */
  public boolean isEncrypted() {
    return !domain.equals(SessionKey.NO_DOMAIN);
  }

  /** The same, checked then. */
  public RestorePoint checkedAt(Instant at) {
    return new RestorePoint(
        machine, sequence, fileId, sessionId, createdAt, blockSize, disks, fileBytes, newBytes, at,
        domain);
  }

  /** A file that is there and can't be read: footer and superblock are damaged, for example. */
  public static RestorePoint unreadable(Name machine, long sequence, UUID fileId, long fileBytes) {
    return new RestorePoint(
        machine,
        sequence,
        fileId,
        new UUID(0, 0),
        Instant.EPOCH,
        BlockSize.MIB_1,
        List.of(),
        fileBytes,
        0);
  }

  /** Whether its file could be read when it was listed. */
  public boolean isReadable() {
    return !disks.isEmpty();
  }

  /**
   * One disk of a point with its digest.
   *
   * @param seal what its key domain said of it; {@link BlockId#NONE}: nothing
   */
  public record Disk(DiskSpec spec, BlockId digest, BlockId seal) {
    /** One that is not sealed. */
    public Disk(DiskSpec spec, BlockId digest) {
      this(spec, digest, BlockId.NONE);
    }
  }

  /** What the machine's disks would take if stored plain. */
  public long sizeBytes() {
    return disks.stream().mapToLong(d -> d.spec().sizeBytes()).sum();
  }
}
