package dev.mover.repository.serve;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.block.Envelope;
import dev.mover.api.error.DataException;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.linux.LinuxException;
import dev.mover.api.memory.BufferPool;
import dev.mover.repository.extent.ExtentFile;
import dev.mover.repository.extent.ExtentFiles;
import dev.mover.repository.extent.ExtentLayout;
import dev.mover.repository.file.BackupFile;
import dev.mover.repository.file.DiskRecord;
import dev.mover.repository.file.FileRecord;
import dev.mover.repository.file.KeyTable;
import dev.mover.repository.file.MapEntry.Slot;
import dev.mover.repository.order.SlotOrder;
import dev.mover.repository.order.SlotUse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A restore point pinned for reading: its file, and where the extent can't clone the earlier files
 * it uses, opened when first needed. Cursors are one thread's; {@link #slotFile} any thread's.
 */
final class OpenPoint implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OpenPoint.class);

  private final BackupFile file;
  private final ExtentFiles files;
  private final Path folder;
  private final BufferPool metadata;
  private final boolean tolerant;
  private final Map<Integer, ExtentFile> others = new HashMap<>();
  private final List<UUID> keyIds = new ArrayList<>();

  private OpenPoint(
      BackupFile file, ExtentFiles files, Path folder, BufferPool metadata, boolean tolerant) {
    this.file = file;
    this.files = files;
    this.folder = folder;
    this.metadata = metadata;
    this.tolerant = tolerant;
  }

  /**
   * Opens the point in {@code path}; see {@link BackupFile#open} for what may be wrong. Where the
   * extent can't clone, it can't be deleted while it is open: that would free what it uses in other
   * files.
   *
   * @param tolerant where a map is damaged, blocks are lost, instead of METADATA_DAMAGED
   */
  static OpenPoint open(ExtentFiles files, Path path, BufferPool metadata, boolean tolerant) {
    BackupFile file = BackupFile.open(files, path, metadata);
    if (!pinned(file)) {
      file.close();
      throw new RepositoryException(
          ErrorCode.NO_SUCH_POINT, path + ": the point is being deleted; list what is left");
    }
    return new OpenPoint(
        file,
        files,
        Objects.requireNonNull(path.getParent(), "a point lies in a folder"),
        metadata,
        tolerant);
  }

  /** False when it was deleted since it was found. A file system without locks has no pins. */
  private static boolean pinned(BackupFile file) {
    try {
      return file.file().descriptor().tryLock(false) && Files.exists(file.path());
    } catch (LinuxException e) {
      LOG.debug("{}: can't be pinned: {}", file.path(), e.getMessage());
      return true;
    }
  }

  BackupFile file() {
    return file;
  }

  /** For pages of the files it opens. */
  BufferPool metadata() {
    return metadata;
  }

  BlockSize blockSize() {
    return file.footer().blockSize();
  }

  /**
   * The disk with that index.
   *
   * @throws RepositoryException NO_SUCH_DISK
   */
  DiskRecord disk(int index) {
    if (index < 0 || index >= file.disks().size()) {
      throw new RepositoryException(
          ErrorCode.NO_SUCH_DISK,
          "point %d of %s has %d disks, there is no disk number %d"
              .formatted(
                  file.footer().sequence(), file.footer().machine(), file.disks().size(), index));
    }
    return file.disks().get(index);
  }

  long blocks(int disk) {
    return blockSize().count(disk(disk).spec().sizeBytes());
  }

  /** The file a slot lies in. */
  ExtentFile slotFile(int number) throws IOException {
    if (number == 0) {
      return file.file();
    }
    synchronized (others) {
      ExtentFile other = others.get(number);
      if (other == null) {
        FileRecord record = file.files().get(number - 1);
        other = openSlots(record);
        others.put(number, other);
      }
      return other;
    }
  }

  /** Its name may change between the look and the open, but not twice: it is used. */
  private ExtentFile openSlots(FileRecord record) throws IOException {
    try {
      return files.open(ExtentLayout.slots(folder, record.sequence(), record.fileId()));
    } catch (IOException e) {
      return files.open(ExtentLayout.slots(folder, record.sequence(), record.fileId()));
    }
  }

  /** Id of the key with that number; {@link Envelope#NO_KEY} of 0. */
  UUID keyId(int number) {
    if (number == 0) {
      return Envelope.NO_KEY;
    }
    synchronized (keyIds) {
      if (keyIds.isEmpty()) {
        file.keys(0, KeyTable.MAX_KEYS).forEach(key -> keyIds.add(key.id()));
      }
      return keyIds.get(number - 1); // maps name no key beyond the table
    }
  }

  /** The map of a disk. */
  MapRuns runs(int disk) {
    return new MapRuns(file.map(disk), tolerant);
  }

  /**
   * Adds slots the disk uses to {@code order}, with their blocks as targets.
   *
   * @param wanted only slots of these blocks
   * @param watch runs at every entry and may throw to stop
   * @throws DataException METADATA_DAMAGED unless tolerant: there are no slots of lost blocks
   */
  void collect(int disk, SlotOrder order, Predicate<BlockId> wanted, Runnable watch) {
    try (MapRuns runs = runs(disk)) {
      while (runs.next()) {
        if (runs.entry() instanceof Slot slot && wanted.test(slot.id())) {
          order.add(
              new SlotUse(
                  slot.file(),
                  slot.offset(),
                  slot.storedLength(),
                  disk,
                  runs.block(),
                  slot.id(),
                  slot.key()));
        }
        watch.run();
      }
    }
  }

  @Override
  public void close() {
    synchronized (others) {
      others.values().forEach(ExtentFile::close);
      others.clear();
    }
    file.close();
  }
}
