package dev.mover.repository.removal;

import dev.mover.api.error.DataException;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.memory.BufferPool;
import dev.mover.repository.extent.ExtentError;
import dev.mover.repository.extent.ExtentFile;
import dev.mover.repository.extent.ExtentFiles;
import dev.mover.repository.extent.ExtentLayout;
import dev.mover.repository.extent.ExtentLayout.Found;
import dev.mover.repository.extent.ExtentLayout.State;
import dev.mover.repository.extent.ExtentMode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Frees what no point uses of a machine's deleted files, where the extent can't clone. The machine
 * has no session meanwhile. Each step may be the last before a crash: a file is {@code .unlisted}
 * until all is freed that could be, in the files that were deleted before it first, so a folder
 * without one has nothing left to do; and whatever was done is only done again. One thread; blocks.
 */
final class DeletedFiles {
  private final ExtentFiles files;
  private final ExtentMode mode;
  private final BufferPool pool;
  private final Path folder;
  private final List<String> problems = new ArrayList<>();

  DeletedFiles(ExtentFiles files, ExtentMode mode, BufferPool pool, Path folder) {
    this.files = files;
    this.mode = mode;
    this.pool = pool;
    this.folder = folder;
  }

  /** Whether a removal in this folder was cut off. */
  static boolean isUnfinished(Path folder) throws IOException {
    return ExtentLayout.files(folder).stream().anyMatch(f -> f.state() == State.UNLISTED);
  }

  /**
   * Frees it; what can't be freed for now stays as it is.
   *
   * @return why something was not freed, one sentence each
   */
  List<String> free() {
    try {
      List<Found> all = ExtentLayout.files(folder);
      List<Found> points = all.stream().filter(Found::committed).toList();
      List<Found> deleted =
          all.stream()
              .filter(Found::deleted)
              .sorted(Comparator.comparing(Found::state).reversed())
              .toList();
      if (!deleted.isEmpty()) {
        files.syncDirectory(folder); // nothing is freed of a file that might come back as a point
      }
      for (int from = 0; from < deleted.size(); from += SlotUsers.MOST_FILES) {
        List<Found> some =
            deleted.subList(from, Math.min(from + SlotUsers.MOST_FILES, deleted.size()));
        SlotUsers users = SlotUsers.of(files, pool, points, some);
        for (Found file : some) {
          free(file, users);
        }
      }
      if (!deleted.isEmpty()) {
        files.syncDirectory(folder);
      }
      return problems;
    } catch (IOException e) {
      throw ExtentError.writing(folder.toString(), 0, e);
    }
  }

  private void free(Found file, SlotUsers users) throws IOException {
    if (users.unreadableUser(file) > 0) {
      problems.add(
          "%s stays: point %d can't be read, so what it uses of it isn't known; verify or delete that point"
              .formatted(file.path(), users.unreadableUser(file)));
    } else if (!users.isUsed(file)) {
      files.delete(file.path());
    } else if ((!mode.punch() || punch(file, users)) && file.state() == State.UNLISTED) {
      files.renameWithoutReplacing(file.path(), file.as(State.KEPT));
    }
  }

  /** False when it isn't known what is used. */
  private boolean punch(Found file, SlotUsers users) throws IOException {
    try (ExtentFile open = files.openToPunch(file.path())) {
      users.unused(
          file,
          open.size(),
          (offset, length) -> {
            try {
              open.punch(offset, length);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
      open.sync();
      return true;
    } catch (UncheckedIOException e) {
      throw e.getCause();
    } catch (DataException | RepositoryException e) {
      problems.add("%s stays: %s".formatted(file.path(), e.getMessage()));
      return false;
    }
  }
}
