package dev.mover.repository.session;

import dev.mover.api.error.DataException;
import dev.mover.api.error.RepositoryException;
import dev.mover.repository.extent.ExtentError;
import dev.mover.repository.extent.ExtentFile;
import dev.mover.repository.extent.ExtentLayout;
import dev.mover.repository.extent.LastSequence;
import dev.mover.repository.file.BackupFile;
import dev.mover.repository.file.PartialFile;
import dev.mover.repository.file.Superblock;
import dev.mover.transport.frame.Open;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a session has on disk: its machine's folder, the partial in it, and its scratch. Strand
 * only; blocks.
 */
final class SessionFolder {
  private static final Logger LOG = LoggerFactory.getLogger(SessionFolder.class);

  /** How far back to look for a parent when the newest points are damaged. */
  private static final int PARENTS_TRIED = 3;

  private final SessionServices services;
  private final Path folder;
  private final UUID fileId = UUID.randomUUID();
  private final Path scratch;
  private final List<ExtentLayout.Found> before;
  private final long last;

  SessionFolder(SessionServices services, Open open) {
    this.services = services;
    ExtentLayout layout = services.extent().layout();
    this.folder = layout.machine(open.machine());
    this.scratch = layout.scratch(fileId);
    try {
      boolean fresh = !Files.isDirectory(folder);
      Files.createDirectories(folder);
      Files.createDirectories(scratch);
      if (fresh) {
        services.files().syncDirectory(layout.machines());
      }
      this.before = ExtentLayout.files(folder);
      this.last = last(folder, before);
    } catch (IOException e) {
      throw ExtentError.writing(folder.toString(), 0, e);
    }
  }

  UUID fileId() {
    return fileId;
  }

  Path folder() {
    return folder;
  }

  Path scratch() {
    return scratch;
  }

  /** Of the point this session makes: one after the newest there is or was. */
  long sequence() {
    return 1 + last;
  }

  private static long last(Path folder, List<ExtentLayout.Found> found) {
    return found.stream()
        .filter(file -> !file.partial())
        .mapToLong(ExtentLayout.Found::sequence)
        .reduce(LastSequence.of(folder), Math::max);
  }

  Path point() {
    return ExtentLayout.point(folder, sequence(), fileId);
  }

  /** Files of the machine's points when the session began, by sequence. */
  List<ExtentLayout.Found> points() {
    return before.stream().filter(ExtentLayout.Found::committed).toList();
  }

  /** The newest point that can be read, pinned. */
  Optional<BackupFile> openParent() {
    List<ExtentLayout.Found> points = points().reversed();
    for (ExtentLayout.Found found : points.subList(0, Math.min(PARENTS_TRIED, points.size()))) {
      try {
        return Optional.of(BackupFile.open(services.files(), found.path(), services.metadata()));
      } catch (DataException | RepositoryException e) {
        LOG.warn("{}; the point before it is the parent", e.getMessage());
      }
    }
    return Optional.empty();
  }

  PartialFile createPartial(Open open) {
    Superblock superblock =
        new Superblock(
            open.machine(),
            fileId,
            open.sessionId(),
            open.blockSize(),
            services.extent().mode().slotAlignment(),
            services.clock().instant(),
            open.key());
    Path path = ExtentLayout.partial(folder, sequence(), fileId);
    PartialFile partial =
        PartialFile.create(services.files(), path, superblock, services.metadata());
    try {
      services.catalogue().began(fileId, path);
      return partial;
    } catch (RuntimeException | Error e) {
      partial.close();
      remove(path, fileId);
      throw e;
    }
  }

  ExtentFile scratchFile(String name) {
    Path path = scratch.resolve(name);
    try {
      return services.files().scratch(path);
    } catch (IOException e) {
      throw ExtentError.writing(path.toString(), 0, e);
    }
  }

  /** Whether sessions that died left partials of this machine. */
  boolean hasOldPartials() {
    return before.stream().anyMatch(ExtentLayout.Found::partial);
  }

  /** Removes what sessions that died left: everything of use in it is in the new point now. */
  void removeOldPartials() {
    for (ExtentLayout.Found found : before) {
      if (found.partial()) {
        remove(found.path(), found.fileId());
      }
    }
  }

  /** Removes a file of this machine; one that can't be removed costs room and is logged. */
  void remove(Path path, UUID id) {
    try {
      services.files().delete(path);
      services.catalogue().abandoned(id);
    } catch (IOException | RuntimeException e) {
      LOG.warn("{}: could not be removed: {}", path, e.getMessage());
    }
  }

  void removeScratch() {
    try {
      ExtentLayout.removeTree(scratch);
    } catch (IOException e) {
      LOG.warn("{}: could not be removed: {}", scratch, e.getMessage());
    }
  }
}
