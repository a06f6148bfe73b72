package dev.mover.dedup.index.rocks;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.RepositoryException;
import dev.mover.dedup.index.BlockIndex;
import dev.mover.dedup.index.Catalogue;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;
import org.rocksdb.WriteOptions;

/**
 * One open database with the column families {@code index} and {@code points}; the owner of every
 * native handle. Writes go to the log at once and reach the disk with {@link BlockIndex#sync}:
 * after a kill nothing is lost, after a power cut what was not synced.
 *
 * <p>Thread-safe, blocks. {@link #close} waits for running calls; calls that come later fail with
 * {@link RepositoryException} INDEX_FAILED instead of touching freed memory.
 */
public final class RocksStore implements AutoCloseable {
  /** 48 MiB: a daemon has 512 MiB in all, and the index is read once per new block. */
  public static final long DEFAULT_MEMORY_BYTES = 48L << 20;

  private static final List<String> NO_SPACE =
      List.of("No space left on device", "Disk quota exceeded");

  private static final String NO_FILE = "No such file or directory";

  private final Path folder;
  private final NativeHandles handles;
  private final Database database;
  private final ReadWriteLock lock = new ReentrantReadWriteLock();
  private boolean closed;

  /** What every call needs; in force while the store is open. */
  record Database(
      RocksDB rocks,
      ColumnFamilyHandle index,
      ColumnFamilyHandle points,
      ReadOptions read,
      WriteOptions write) {}

  /** A piece of work on the open database. */
  @FunctionalInterface
  interface Work<T> {
    T on(Database database) throws RocksDBException;
  }

  private RocksStore(Path folder, NativeHandles handles, Database database) {
    this.folder = folder;
    this.handles = handles;
    this.database = database;
  }

  public static RocksStore open(Path folder) {
    return open(folder, DEFAULT_MEMORY_BYTES);
  }

  /**
   * Opens the database in {@code folder} and makes it where there is none.
   *
   * @param memoryBytes for cache and memtables together; at least 4 MiB is wise
   * @throws RepositoryException REPOSITORY_FULL when there is no room to open it, and it is as good
   *     as before; INDEX_DAMAGED when what is there can't be read by whoever tries; INDEX_FAILED
   *     when another process holds it, it may not be read, or the native library can't be loaded;
   *     nothing stays open
   */
  public static RocksStore open(Path folder, long memoryBytes) {
    NativeHandles handles = new NativeHandles();
    try {
      RocksDB.loadLibrary(); // not every native class does it by itself
      Files.createDirectories(folder);
      return new RocksStore(folder, handles, database(folder, handles, memoryBytes));
    } catch (IOException | RocksDBException | RuntimeException | LinkageError e) {
      handles.close();
      if (isNoSpace(e)) {
        throw full(folder, e);
      }
      throw new RepositoryException(
          isDamage(e) ? ErrorCode.INDEX_DAMAGED : ErrorCode.INDEX_FAILED,
          "the index in %s can't be opened: %s".formatted(folder, e.getMessage()),
          e);
    }
  }

  private static Database database(Path folder, NativeHandles handles, long memoryBytes)
      throws RocksDBException {
    RocksSettings settings = new RocksSettings(handles, memoryBytes);
    DBOptions options = settings.database();
    ColumnFamilyOptions points = settings.points();
    ReadOptions read = handles.own(new ReadOptions());
    WriteOptions write = handles.own(new WriteOptions());
    List<ColumnFamilyDescriptor> families =
        List.of(
            new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, points),
            new ColumnFamilyDescriptor(utf8("index"), settings.index()),
            new ColumnFamilyDescriptor(utf8("points"), points));
    List<ColumnFamilyHandle> opened = new ArrayList<>();
    RocksDB rocks = handles.own(RocksDB.open(options, folder.toString(), families, opened));
    opened.forEach(handles::own);
    return new Database(rocks, opened.get(1), opened.get(2), read, write);
  }

  /** Removes a closed or damaged database and all it remembers. */
  public static void destroy(Path folder) {
    try (Options options = new Options()) {
      RocksDB.destroyDB(folder.toString(), options);
    } catch (RocksDBException e) {
      throw new RepositoryException(
          ErrorCode.INDEX_FAILED,
          "the index in %s can't be removed: %s".formatted(folder, e.getMessage()),
          e);
    }
  }

  /** Lives as long as this store. */
  public BlockIndex index() {
    return new RocksBlockIndex(this);
  }

  /** Lives as long as this store. */
  public Catalogue catalogue() {
    return new RocksCatalogue(this);
  }

  /** Runs {@code work} while the database is certainly open. */
  <T> T call(Work<T> work) {
    lock.readLock().lock();
    try {
      if (closed) {
        throw new RepositoryException(
            ErrorCode.INDEX_FAILED, "the index in " + folder + " is closed");
      }
      return work.on(database);
    } catch (RocksDBException e) {
      if (isNoSpace(e)) {
        throw full(folder, e);
      }
      throw new RepositoryException(
          ErrorCode.INDEX_FAILED,
          "the index in %s failed: %s; it holds no data, 'mover rebuild-index' makes it anew"
              .formatted(folder, e.getMessage()),
          e);
    } finally {
      lock.readLock().unlock();
    }
  }

  /** RocksDB has a status for a full disk, but not for a used up quota; nor has the JDK. */
  private static boolean isNoSpace(Throwable e) {
    boolean said =
        e instanceof RocksDBException rocks
            && rocks.getStatus() != null
            && rocks.getStatus().getSubCode() == Status.SubCode.NoSpace;
    String text = String.valueOf(e.getMessage());
    return said || NO_SPACE.stream().anyMatch(text::contains);
  }

  /** As opposed to what may be well next time: no descriptor left, a device that stumbled. */
  private static boolean isDamage(Throwable e) {
    if (!(e instanceof RocksDBException rocks) || rocks.getStatus() == null) {
      return false;
    }
    return switch (rocks.getStatus().getCode()) {
      case Corruption, InvalidArgument, NotFound, NotSupported -> true;
      default -> String.valueOf(e.getMessage()).contains(NO_FILE);
    };
  }

  private static RepositoryException full(Path folder, Throwable e) {
    return new RepositoryException(
        ErrorCode.REPOSITORY_FULL,
        "the index in %s has no room to write (%s); free some space and try again"
            .formatted(folder, e.getMessage()),
        e);
  }

  /** Bytes of the budget in use: cached blocks, index and filter partitions, memtables. */
  long memoryBytes() {
    return call(db -> db.rocks().getLongProperty(db.index(), "rocksdb.block-cache-usage"));
  }

  int openHandles() {
    return handles.count();
  }

  /** Frees all native memory; idempotent. What was put survives, as after a kill. */
  @Override
  public void close() {
    lock.writeLock().lock();
    try {
      closed = true;
      handles.close();
    } finally {
      lock.writeLock().unlock();
    }
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
