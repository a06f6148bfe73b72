package dev.mover.deploy.daemon;

import dev.mover.api.block.BlockSize;
import dev.mover.api.point.Name;
import dev.mover.dedup.codec.Compression;
import java.nio.file.Path;
import java.util.List;

/**
 * One machine to back up, as it was ordered.
 *
 * @param disks 1 to 256, with different names
 * @param to an absolute directory, or {@code mover://host:port}
 * @param slots most disks of it at once; 0: as many as the proxy has slots for
 * @param raw the files' bytes are meant as they are, whatever format they look like
 */
record JobRequest(
    Name machine,
    List<Disk> disks,
    String to,
    BlockSize blockSize,
    Compression compression,
    int slots,
    boolean raw) {

  JobRequest {
    disks = List.copyOf(disks);
  }

  /**
   * A disk of the machine.
   *
   * @param path absolute, on the proxy's host
   */
  record Disk(Name name, Path path) {}

  /** Jobs with the same one can't run side by side: a repository takes one session a machine. */
  String machineKey() {
    return to + "\n" + machine;
  }
}
