package dev.mover.dedup.index.rocks;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.RepositoryException;
import dev.mover.dedup.index.BlockIndex;
import dev.mover.dedup.index.Catalogue;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One open database with the column families {@code index} and {@code points}; the owner of every
 * native handle. Writes go to the log at once and reach the disk with {@link BlockIndex#sync}:
 * after a kill nothing is lost, after a power cut what was not synced.
 *
 * <p>RocksDB takes no more writes after one that failed, until it is opened anew: this is done
 * here, at the first write that comes when there is room again, and seldom enough to cost nothing
 * while it is in vain. Reads go on meanwhile. What was put before is there; what failed is not.
 *
 * <p>Thread-safe, blocks. {@link #close} waits for running calls; calls that come later fail with
 * {@link RepositoryException} INDEX_FAILED instead of touching freed memory.
 */
public final class RocksStore implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RocksStore.class);

  /** 48 MiB: a daemon has 512 MiB in all, and the index is read once per new block. */
  public static final long DEFAULT_MEMORY_BYTES = 48L << 20;

  private static final List<String> NO_SPACE =
      List.of("No space left on device", "Disk quota exceeded");

  private static final String NO_FILE = "No such file or directory";

  /** To open a database takes milliseconds, more where there is a long log to read. */
  private static final Duration TRY_EVERY = Duration.ofSeconds(1);

  /** Flushes and compactions that are behind catch up within seconds. */
  private static final Duration MOST_STALL = Duration.ofSeconds(60);

  private static final Duration LOOK_AGAIN = Duration.ofMillis(5);

  private final Path folder;
  private final long memoryBytes;
  private final ReadWriteLock lock = new ReentrantReadWriteLock();
  private NativeHandles handles;
  private @Nullable Database database;
  private boolean closed;
  private volatile @Nullable RocksDBException latched;
  private volatile Runnable whenReopened = () -> {};
  private long triedNs = System.nanoTime() - TRY_EVERY.toNanos();

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

  private RocksStore(Path folder, long memoryBytes, NativeHandles handles, Database database) {
    this.folder = folder;
    this.memoryBytes = memoryBytes;
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
      return new RocksStore(
          folder, memoryBytes, handles, database(folder, handles, memoryBytes, true));
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

  private static Database database(
      Path folder, NativeHandles handles, long memoryBytes, boolean writable)
      throws RocksDBException {
    RocksSettings settings = new RocksSettings(handles, memoryBytes);
    DBOptions options = settings.database();
    ColumnFamilyOptions points = settings.points();
    ReadOptions read = handles.own(new ReadOptions());
    // A flush that finds no room would have writers wait until there is some, for ever perhaps.
    WriteOptions write = handles.own(new WriteOptions().setNoSlowdown(true));
    List<ColumnFamilyDescriptor> families =
        List.of(
            new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, points),
            new ColumnFamilyDescriptor(utf8("index"), settings.index()),
            new ColumnFamilyDescriptor(utf8("points"), points));
    List<ColumnFamilyHandle> opened = new ArrayList<>();
    String path = folder.toString();
    RocksDB rocks =
        handles.own(
            writable
                ? RocksDB.open(options, path, families, opened)
                : RocksDB.openReadOnly(options, path, families, opened));
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

  /** Runs when writes work again after some failed, which may be missing; on a writer's thread. */
  public void whenReopened(Runnable then) {
    whenReopened = then;
  }

  /** Reads while the database is certainly open. */
  <T> T read(Work<T> work) {
    try {
      return call(work);
    } catch (RocksDBException e) {
      throw failure(e);
    }
  }

  /**
   * Writes, as {@link #read}; what was put is in the log when this returns. Waits while memtables
   * have to be flushed first, but not for room to do so. The work may run more than once.
   */
  <T> T write(Work<T> work) {
    RocksDBException before = latched;
    if (before != null) {
      openAnew(before);
    }
    long untilNs = System.nanoTime() + MOST_STALL.toNanos();
    while (true) {
      try {
        return call(work);
      } catch (RocksDBException e) {
        if (!isStall(e) || System.nanoTime() - untilNs > 0 || !hasRoom()) {
          latch(e);
          throw failure(e);
        }
        LockSupport.parkNanos(this, LOOK_AGAIN.toNanos());
      }
    }
  }

  private void latch(RocksDBException e) {
    if (latched == null) {
      LOG.warn("the index in {} takes no writes for now: {}", folder, e.getMessage());
      latched = e;
    }
  }

  /** It would have waited: see {@link WriteOptions#setNoSlowdown}. */
  private static boolean isStall(RocksDBException e) {
    return e.getStatus() != null && e.getStatus().getCode() == Status.Code.Incomplete;
  }

  private <T> T call(Work<T> work) throws RocksDBException {
    lock.readLock().lock();
    try {
      Database open = database;
      if (closed || open == null) {
        throw new RepositoryException(
            ErrorCode.INDEX_FAILED,
            "the index in %s %s".formatted(folder, closed ? "is closed" : "can't be opened again"));
      }
      return work.on(open);
    } finally {
      lock.readLock().unlock();
    }
  }

  /**
   * Has writes work again, if it can.
   *
   * @throws RepositoryException the failure there was, or a new one: still no writes
   */
  private void openAnew(RocksDBException failure) {
    lock.writeLock().lock();
    try {
      if (closed || latched == null) {
        return; // which the call will tell, or somebody was quicker
      }
      if (System.nanoTime() - triedNs < TRY_EVERY.toNanos() || !hasRoom()) {
        throw failure(failure);
      }
      database = null;
      handles.close();
      handles = new NativeHandles();
      try {
        database = database(folder, handles, memoryBytes, true);
        latched = null;
        LOG.info("the index in {} takes writes again", folder);
      } catch (RocksDBException e) {
        openToRead();
        throw failure(e);
      } finally {
        triedNs = System.nanoTime();
      }
    } finally {
      lock.writeLock().unlock();
    }
    whenReopened.run();
  }

  private void openToRead() {
    handles.close();
    handles = new NativeHandles();
    try {
      database = database(folder, handles, memoryBytes, false);
    } catch (RocksDBException e) {
      handles.close();
      LOG.warn("the index in {} can't be read either: {}", folder, e.getMessage());
    }
  }

  /** To open it anew takes about a memtable's log, and it should last a while. */
  private boolean hasRoom() {
    try {
      return Files.getFileStore(folder).getUsableSpace() > memoryBytes / 2;
    } catch (IOException e) {
      LOG.debug("{}: {}", folder, e.getMessage());
      return false;
    }
  }

  private RepositoryException failure(RocksDBException e) {
    if (isNoSpace(e) || (isStall(e) && !hasRoom())) {
      return full(folder, e);
    }
    return new RepositoryException(
        ErrorCode.INDEX_FAILED,
        "the index in %s failed: %s; it holds no data, 'mover rebuild-index' makes it anew"
            .formatted(folder, e.getMessage()),
        e);
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
    return read(db -> db.rocks().getLongProperty(db.index(), "rocksdb.block-cache-usage"));
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
