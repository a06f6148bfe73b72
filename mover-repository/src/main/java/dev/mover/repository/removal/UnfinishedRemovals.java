package dev.mover.repository.removal;

import dev.mover.api.error.MoverException;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.point.Name;
import dev.mover.repository.extent.ExtentFile;
import dev.mover.repository.extent.ExtentLayout;
import dev.mover.repository.file.BackupFile;
import dev.mover.repository.file.Superblock;
import dev.mover.repository.removal.RemovalServices.Writing;
import dev.mover.repository.serve.ServeServices;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finishes what removals that were cut off have left to do, where the extent can't clone. What
 * can't be done now the next removal of the machine does. One thread; blocks.
 */
public final class UnfinishedRemovals {
  private static final Logger LOG = LoggerFactory.getLogger(UnfinishedRemovals.class);

  private final RemovalServices services;
  private final BooleanSupplier cancelled;

  /**
   * @param cancelled asked between two machines
   */
  public UnfinishedRemovals(RemovalServices services, BooleanSupplier cancelled) {
    this.services = services;
    this.cancelled = cancelled;
  }

  /** Looks into every machine's folder. */
  public void finish() {
    Writing writer = services.writer();
    if (writer == null || services.mode().clones()) {
      return;
    }
    try {
      for (Path folder : services.serving().layout().machineFolders()) {
        if (!cancelled.getAsBoolean() && DeletedFiles.isUnfinished(folder)) {
          machineOf(folder).ifPresent(machine -> finish(writer, folder, machine));
        }
      }
    } catch (IOException e) {
      LOG.warn("unfinished removals stay so: {}", e.getMessage());
    }
  }

  /** By what stands in a file: a folder's name may be cut, and then keeps no session away. */
  private Optional<Name> machineOf(Path folder) throws IOException {
    ServeServices serving = services.serving();
    for (ExtentLayout.Found found : ExtentLayout.files(folder)) {
      try (ExtentFile file = serving.files().open(found.path())) {
        Optional<Superblock> head = BackupFile.superblock(file, serving.metadata());
        if (head.isPresent()) {
          return head.map(Superblock::machine);
        }
      }
    }
    return Optional.empty();
  }

  private void finish(Writing writer, Path folder, Name machine) {
    ServeServices serving = services.serving();
    try {
      writer.machines().enter(machine, () -> true);
    } catch (RepositoryException e) {
      LOG.info("{}: an unfinished removal waits: {}", folder, e.getMessage());
      return;
    }
    try {
      new DeletedFiles(serving.files(), services.mode(), serving.metadata(), folder)
          .free()
          .forEach(LOG::warn);
    } catch (MoverException e) {
      LOG.warn("{}: an unfinished removal waits: {}", folder, e.getMessage());
    } finally {
      writer.machines().leave(machine);
    }
  }
}
