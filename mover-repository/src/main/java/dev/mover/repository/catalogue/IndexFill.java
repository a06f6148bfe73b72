package dev.mover.repository.catalogue;

import dev.mover.api.block.BlockId;
import dev.mover.api.error.DataException;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.error.Side;
import dev.mover.api.memory.BufferPool;
import dev.mover.dedup.index.BlockIndex;
import dev.mover.dedup.index.BlockPlace;
import dev.mover.repository.extent.ExtentFiles;
import dev.mover.repository.file.BackupFile;
import dev.mover.repository.file.MapCursor;
import dev.mover.repository.file.MapEntry.Slot;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts the blocks of every committed file into the index: after that was lost, and when a fill
 * before did not come to its end. It reads maps only, one machine's after the other's, the newest
 * file last so that its places stay. Sessions and deletions may run meanwhile: what they put is
 * newer, and a place in a file that is gone counts as unknown.
 *
 * <p>One thread runs it; any may look at {@link #progress}.
 */
public final class IndexFill {
  private static final Logger LOG = LoggerFactory.getLogger(IndexFill.class);

  /** The windows of an open file and a cursor, twice what they are: beside every other budget. */
  private static final long POOL_BYTES = 1 << 20;

  /** Ids in one write to the index, some 100 KB. */
  private static final int BATCH = 1024;

  private final PointCatalogue catalogue;
  private final BlockIndex index;
  private final ExtentFiles files;
  private final BooleanSupplier stop;
  private final boolean due;
  private final List<Path> folders;
  private final Map<BlockId, BlockPlace> batch = new HashMap<>();
  private volatile Progress progress;

  /**
   * How far it is.
   *
   * @param machines of how many the blocks are indexed
   * @param ofMachines of how many they have to be
   * @param points files read
   * @param unreadable files that could not be, in whole or in part
   * @param blocks places put, a block counted once for each file that holds it
   */
  public record Progress(
      long machines, long ofMachines, long points, long unreadable, long blocks) {
    private Progress machine() {
      return new Progress(machines + 1, ofMachines, points, unreadable, blocks);
    }

    private Progress point(boolean readable) {
      return new Progress(
          machines, ofMachines, points + 1, unreadable + (readable ? 0 : 1), blocks);
    }

    private Progress blocks(long more) {
      return new Progress(machines, ofMachines, points, unreadable, blocks + more);
    }
  }

  /**
   * @param stop looked at between batches
   */
  public IndexFill(
      PointCatalogue catalogue, BlockIndex index, ExtentFiles files, BooleanSupplier stop) {
    this.catalogue = catalogue;
    this.index = index;
    this.files = files;
    this.stop = stop;
    this.due = !catalogue.isAllIndexed();
    this.folders = due ? catalogue.unindexed() : List.of();
    this.progress = new Progress(0, folders.size(), 0, 0, 0);
  }

  /** Whether there is anything to do. */
  public boolean isDue() {
    return due;
  }

  public Progress progress() {
    return progress;
  }

  /**
   * Blocks until all is indexed, or it was stopped.
   *
   * @throws RepositoryException INDEX_FAILED, REPOSITORY_FULL; what is done stays done
   */
  public void run() {
    try (BufferPool pool = new BufferPool("index fill memory", Side.REPOSITORY, POOL_BYTES)) {
      for (Path folder : folders) {
        for (Path file : PointCatalogue.committedIn(folder)) {
          boolean readable = isIndexed(file, pool);
          progress = progress.point(readable);
        }
        if (stop.getAsBoolean()) {
          return;
        }
        catalogue.indexed(folder);
        progress = progress.machine();
      }
    }
    catalogue.allIndexed();
  }

  /** Blocks until the blocks of these files are in the index, as {@link #run}. */
  public void add(List<Path> some) {
    try (BufferPool pool = new BufferPool("index fill memory", Side.REPOSITORY, POOL_BYTES)) {
      some.forEach(file -> isIndexed(file, pool));
    }
    index.sync();
  }

  /** False when the file can't be read; a part of it may be in the index all the same. */
  private boolean isIndexed(Path path, BufferPool pool) {
    try (BackupFile file = BackupFile.open(files, path, pool)) {
      for (int disk = 0; disk < file.disks().size(); disk++) {
        index(file, disk);
      }
      flush();
      return true;
    } catch (DataException e) {
      LOG.warn("{}: its blocks are not in the index: {}", path, e.getMessage());
      return false;
    } catch (RepositoryException e) {
      if (e.code() != ErrorCode.REPOSITORY_READ_FAILED) {
        throw e;
      }
      LOG.warn("{}: its blocks are not in the index: {}", path, e.getMessage());
      return false;
    } finally {
      batch.clear();
    }
  }

  /** Encrypted slots of other files are indexed from these, which number the keys. */
  private void index(BackupFile file, int disk) {
    try (MapCursor map = file.map(disk)) {
      while (!stop.getAsBoolean() && map.next()) {
        if (map.entry() instanceof Slot slot && (slot.file() == 0 || slot.key() == 0)) {
          batch.put(
              slot.id(),
              new BlockPlace(holder(file, slot), slot.offset(), slot.storedLength(), slot.key()));
        }
        if (batch.size() == BATCH) {
          flush();
        }
      }
    }
  }

  private static UUID holder(BackupFile file, Slot slot) {
    return slot.file() == 0 ? file.footer().fileId() : file.files().get(slot.file() - 1).fileId();
  }

  private void flush() {
    index.put(batch);
    progress = progress.blocks(batch.size());
    batch.clear();
  }
}
