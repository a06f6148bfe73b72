package dev.mover.repository.removal;

import dev.mover.api.linux.LinuxFile;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Room on a file system as it stands once what was deleted has really been given back: XFS frees
 * after the unlink in the background, Btrfs and ext4 with their next commit. While others write it
 * is what the file system says, no more. Blocks.
 */
final class FreeSpace {
  private static final Logger LOG = LoggerFactory.getLogger(FreeSpace.class);
  private static final long LOOK_EVERY_NS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long GIVE_UP_NS = TimeUnit.SECONDS.toNanos(20);

  private final Path root;

  FreeSpace(Path root) {
    this.root = root;
  }

  /** Bytes that a user other than root can write; 0 when it can't be told. */
  long usableBytes() {
    try {
      return Files.getFileStore(root).getUsableSpace();
    } catch (IOException e) {
      return 0;
    }
  }

  /** Bytes free after a sync of the file system; −1 when it can't be told. */
  long syncedBytes() {
    try {
      LinuxFile.syncFileSystem(root);
      FileStore store = Files.getFileStore(root);
      return store.getUnallocatedSpace();
    } catch (IOException e) {
      LOG.warn("{}: what is free can't be told: {}", root, e.getMessage());
      return -1;
    }
  }

  /**
   * How much more is free than {@code beforeBytes}, once that doesn't grow any more between two
   * looks, or after 20 s.
   */
  long freedSince(long beforeBytes) {
    if (beforeBytes < 0) {
      return 0;
    }
    long beganNs = System.nanoTime();
    long last = syncedBytes();
    long now = last;
    do {
      last = now;
      LockSupport.parkNanos(LOOK_EVERY_NS); // the file system tells nobody when it is done
      now = syncedBytes();
    } while (now > last && System.nanoTime() - beganNs < GIVE_UP_NS);
    return Math.max(0, now - beforeBytes);
  }
}
