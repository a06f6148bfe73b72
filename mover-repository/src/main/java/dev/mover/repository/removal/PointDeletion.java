package dev.mover.repository.removal;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.linux.LinuxException;
import dev.mover.api.memory.BufferPool;
import dev.mover.repository.extent.ExtentError;
import dev.mover.repository.extent.ExtentFile;
import dev.mover.repository.extent.ExtentFiles;
import dev.mover.repository.extent.ExtentLayout.Found;
import dev.mover.repository.extent.ExtentLayout.State;
import dev.mover.repository.extent.LastSequence;
import dev.mover.repository.file.BackupFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a point none, in one step that is durable when the method returns: a crash before it leaves
 * the point whole, after it gone from every list. Nothing here needs free space. One thread;
 * blocks.
 */
final class PointDeletion {
  private static final Logger LOG = LoggerFactory.getLogger(PointDeletion.class);

  private final ExtentFiles files;
  private final BufferPool pool;

  PointDeletion(ExtentFiles files, BufferPool pool) {
    this.files = files;
    this.pool = pool;
  }

  /** Where the extent clones: whoever has the file open keeps it until it is closed. */
  void unlink(Found point) {
    LastSequence.raise(folder(point), point.sequence());
    try {
      files.delete(point.path());
      files.syncDirectory(folder(point));
    } catch (IOException e) {
      throw ExtentError.writing(point.path().toString(), 0, e);
    }
  }

  /**
   * Where it doesn't: the name goes, the file stays until it is known what of it is used.
   *
   * @throws RepositoryException MACHINE_BUSY when somebody reads the point
   */
  void unlist(Found point) {
    try (ExtentFile file = files.openToPunch(point.path())) {
      if (!file.descriptor().tryLock(true)) {
        throw new RepositoryException(
            ErrorCode.MACHINE_BUSY,
            "%s: the point is being read; delete it when that has ended".formatted(point.path()));
      }
      LastSequence.raise(folder(point), point.sequence());
      rename(point, file);
      files.syncDirectory(folder(point));
    } catch (IOException e) {
      throw ExtentError.writing(point.path().toString(), 0, e);
    }
  }

  /**
   * A longer name may need another block for the folder. When there is none, the second copy of the
   * metadata of the very file gives it: the point can be read without, should the rename not come.
   */
  private void rename(Found point, ExtentFile file) throws IOException {
    try {
      files.renameWithoutReplacing(point.path(), point.as(State.UNLISTED));
    } catch (LinuxException e) {
      if (!e.isNoSpace() || !freeSecondCopy(point, file)) {
        throw e;
      }
      files.renameWithoutReplacing(point.path(), point.as(State.UNLISTED));
    }
  }

  private boolean freeSecondCopy(Found point, ExtentFile file) throws IOException {
    Optional<BackupFile> readable = open(point);
    if (readable.isEmpty()) {
      return false;
    }
    try (BackupFile open = readable.get()) {
      file.punch(open.footer().metadata2(), open.footer().metadataBytes());
      file.sync();
      return true;
    }
  }

  /** The point's file, unless it can't be read: what can't be read can still be deleted. */
  Optional<BackupFile> open(Found point) {
    try {
      return Optional.of(BackupFile.open(files, point.path(), pool));
    } catch (MoverException e) {
      LOG.info("{}: is deleted unread: {}", point.path(), e.getMessage());
      return Optional.empty();
    }
  }

  private static Path folder(Found point) {
    return Objects.requireNonNull(point.path().getParent(), "a point lies in a folder");
  }
}
