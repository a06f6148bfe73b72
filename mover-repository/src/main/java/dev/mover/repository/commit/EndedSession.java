package dev.mover.repository.commit;

import dev.mover.repository.file.KeyTable;
import dev.mover.repository.file.PartialFile;
import dev.mover.repository.file.PointWriter.EndedDisk;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/**
 * What a session hands over when all its disks are ended and all its slots written.
 *
 * @param point the name the file gets
 * @param scratch folder of the session, on the same file system or not
 * @param linkedBytes stored bytes of blocks that were linked rather than sent
 */
public record EndedSession(
    PartialFile partial,
    Path point,
    long sequence,
    Instant createdAt,
    List<EndedDisk> disks,
    KeyTable keys,
    SourceFiles sources,
    Path scratch,
    long linkedBytes) {
  public EndedSession {
    disks = List.copyOf(disks);
  }
}
