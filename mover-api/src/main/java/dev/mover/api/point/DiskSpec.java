package dev.mover.api.point;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;

/**
 * A disk as both sides know it.
 *
 * @param sizeBytes 0 to 2^63 − 512; need not be a multiple of the sector or block size
 * @param sectorSize 512 or 4096: the logical sector of the source, kept for the restore
 */
public record DiskSpec(Name name, long sizeBytes, int sectorSize) {
  public static final long MAX_BYTES = Long.MAX_VALUE - 511;

  public DiskSpec {
    if (sizeBytes < 0 || sizeBytes > MAX_BYTES) {
      throw new InputException(
          ErrorCode.BAD_SIZE,
          "disk " + name + " has an impossible size of " + sizeBytes + " bytes");
    }
    if (sectorSize != 512 && sectorSize != 4096) {
      throw new InputException(
          ErrorCode.BAD_SIZE, "disk " + name + " has an unknown sector size of " + sectorSize);
    }
  }
}
