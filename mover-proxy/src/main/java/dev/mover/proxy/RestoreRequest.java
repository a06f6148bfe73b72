package dev.mover.proxy;

import dev.mover.api.point.Name;
import dev.mover.dedup.domain.ReaderKeys;
import java.nio.file.Path;
import java.util.Optional;

/**
 * One disk to restore.
 *
 * @param sequence 0: the newest point
 * @param disk may be empty when the point has one disk only
 * @param target file (created sparse) or block device
 * @param overwrite allow an existing file that is not empty
 * @param domain of an encrypted point; then one that it did not seal is refused
 * @param tolerant write zeros for damaged blocks and go on, instead of failing
 */
public record RestoreRequest(
    Name machine,
    long sequence,
    Optional<Name> disk,
    Path target,
    boolean overwrite,
    boolean tolerant,
    Optional<ReaderKeys> domain) {
  /** One that fails when anything is damaged. */
  public RestoreRequest(
      Name machine, long sequence, Optional<Name> disk, Path target, boolean overwrite) {
    this(machine, sequence, disk, target, overwrite, false);
  }

  /** Of a point that is not encrypted. */
  public RestoreRequest(
      Name machine,
      long sequence,
      Optional<Name> disk,
      Path target,
      boolean overwrite,
      boolean tolerant) {
    this(machine, sequence, disk, target, overwrite, tolerant, Optional.empty());
  }
}
