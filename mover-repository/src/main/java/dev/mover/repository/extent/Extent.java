package dev.mover.repository.extent;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.linux.LinuxException;
import dev.mover.api.linux.LinuxFile;
import dev.mover.api.memory.BufferPool;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of a repository, opened: created when it was empty, locked when it may be written,
 * probed. All methods block.
 */
public final class Extent implements AutoCloseable, Room.Space {
  private static final Logger LOG = LoggerFactory.getLogger(Extent.class);

  /** What a creation that was cut off, or mkfs, may have left in an empty directory. */
  private static final Set<String> LEFTOVERS = Set.of("lock", "lost+found");

  /** What a probe takes. */
  private static final long ENOUGH_BYTES = 4 << 20;

  /** What the sort of a 16 TiB disk takes, 56 bytes a MiB. */
  private static final long SCRATCH_BYTES = 1 << 30;

  private final ExtentLayout layout;
  private final RepositoryRecord record;
  private final @Nullable LinuxFile lock;
  private final boolean direct;
  private final Optional<String> warning;
  private final boolean untried;

  private Extent(
      ExtentLayout layout,
      RepositoryRecord record,
      @Nullable LinuxFile lock,
      boolean direct,
      Optional<String> warning,
      boolean untried) {
    this.layout = layout;
    this.record = record;
    this.lock = lock;
    this.direct = direct;
    this.warning = warning;
    this.untried = untried;
  }

  /**
   * Opens as the one writer, creating the repository when the directory is missing or empty.
   *
   * @throws RepositoryException NOT_A_REPOSITORY, REPOSITORY_TOO_NEW, REPOSITORY_BUSY,
   *     REPOSITORY_WRITE_FAILED, REPOSITORY_FULL
   */
  public static Extent open(Path directory, BufferPool pool, Clock clock) {
    ExtentLayout layout = new ExtentLayout(directory);
    boolean fresh = isMissingOrEmpty(layout);
    Optional<RepositoryRecord> recorded =
        fresh ? Optional.empty() : Optional.of(RepositoryRecord.read(directory, layout.record()));
    LinuxFile lock = null;
    try {
      Files.createDirectories(directory);
      lock = takeLock(layout);
      Optional<String> noRoom = Optional.empty();
      ExtentMode now;
      try {
        now = new ExtentProbe(directory, pool).run();
      } catch (IOException e) {
        if (recorded.isEmpty() || !ExtentError.isNoSpace(e)) {
          throw e;
        }
        now = recorded.get().mode();
        noRoom = Optional.of(full(directory, e));
      }
      if (fresh && !Files.exists(layout.record())) {
        new RepositoryRecord(RepositoryRecord.VERSION, UUID.randomUUID(), clock.instant(), now)
            .write(directory, layout.record());
      }
      RepositoryRecord record = RepositoryRecord.read(directory, layout.record());
      Files.createDirectories(layout.machines());
      Files.createDirectories(layout.index());
      Files.createDirectories(layout.sessions());
      ExtentLayout.empty(layout.sessions());
      LinuxFile.syncDirectory(directory);
      boolean direct = record.mode().direct() && now.direct();
      Optional<String> warning =
          noRoom.isPresent() ? noRoom : changed(directory, record.mode(), now);
      return new Extent(layout, record, lock, direct, warning, noRoom.isPresent());
    } catch (IOException e) {
      closeQuietly(lock);
      throw ExtentError.writing(directory.toString(), 0, e);
    } catch (RuntimeException e) {
      closeQuietly(lock);
      throw e;
    }
  }

  /**
   * Opens for reading: no lock, no write. A copy may lie where direct I/O can't be had; it is read
   * through the page cache then.
   */
  public static Extent openReadOnly(Path directory) {
    ExtentLayout layout = new ExtentLayout(directory);
    RepositoryRecord record = RepositoryRecord.read(directory, layout.record());
    boolean direct = record.mode().direct() && ExtentProbe.readsDirect(layout.record());
    return new Extent(layout, record, null, direct, Optional.empty(), false);
  }

  public ExtentLayout layout() {
    return layout;
  }

  public UUID repositoryId() {
    return record.repositoryId();
  }

  /** As recorded when the repository was created: what its files rely on. */
  public ExtentMode mode() {
    return record.mode();
  }

  /** Whether its files are opened for direct I/O now. */
  public boolean direct() {
    return direct;
  }

  /** Set when the file system has no room, can no longer do what it could, or now can more. */
  public Optional<String> warning() {
    return untried && freeBytes() >= ENOUGH_BYTES ? Optional.empty() : warning;
  }

  /**
   * A folder for sorts: its own, or the temporary one when it is nearly full, because a restore
   * must work then.
   */
  public Path scratch() {
    return freeBytes() >= SCRATCH_BYTES ? layout.sessions() : temporary();
  }

  public static Path temporary() {
    return Path.of(System.getProperty("java.io.tmpdir", "/tmp"));
  }

  @Override
  public long freeBytes() {
    try {
      return fileStore().getUsableSpace();
    } catch (IOException e) {
      return -1;
    }
  }

  @Override
  public void settle() {
    try {
      LinuxFile.syncFileSystem(layout.root());
    } catch (LinuxException e) {
      LOG.debug("{}: free space may be told too low: {}", layout.root(), e.getMessage());
    }
  }

  @Override
  public long capacityBytes() {
    try {
      return fileStore().getTotalSpace();
    } catch (IOException e) {
      return 0;
    }
  }

  public FileStore fileStore() throws IOException {
    return Files.getFileStore(layout.root());
  }

  @Override
  public void close() {
    closeQuietly(lock);
  }

  private static boolean isMissingOrEmpty(ExtentLayout layout) {
    Path directory = layout.root();
    if (!Files.exists(directory)) {
      return true;
    }
    if (Files.exists(layout.record())) {
      return false;
    }
    try (Stream<Path> names = Files.list(directory)) {
      List<String> foreign =
          names
              .map(p -> p.getFileName().toString())
              .filter(n -> !LEFTOVERS.contains(n) && !n.startsWith(ExtentProbe.PREFIX))
              .toList();
      if (foreign.isEmpty()) {
        return true;
      }
      throw new RepositoryException(
          ErrorCode.NOT_A_REPOSITORY,
          "%s: is not a repository and not empty (it holds %s); name an empty or missing directory to create one"
              .formatted(directory, foreign.getFirst()));
    } catch (NotDirectoryException e) {
      throw new RepositoryException(
          ErrorCode.NOT_A_REPOSITORY,
          "%s: is not a directory; name one, or a path where none is yet".formatted(directory),
          e);
    } catch (IOException e) {
      throw ExtentError.reading(directory.toString(), e);
    }
  }

  private static LinuxFile takeLock(ExtentLayout layout) throws LinuxException {
    LinuxFile lock = LinuxFile.open(layout.lock(), LinuxFile.Flag.WRITE, LinuxFile.Flag.CREATE);
    if (lock.tryLock(true)) {
      return lock;
    }
    lock.closeQuietly();
    throw new RepositoryException(
        ErrorCode.REPOSITORY_BUSY,
        "%s: another mover writes to this repository; wait for it, or go through its daemon"
            .formatted(layout.root()));
  }

  private static String full(Path directory, IOException e) {
    return "%s: %s: there is no room left (%s); points can be listed, restored and verified, but nothing can be backed up until some space is freed"
        .formatted(ErrorCode.REPOSITORY_FULL, directory, e.getMessage());
  }

  private static Optional<String> changed(Path directory, ExtentMode then, ExtentMode now) {
    if (then.equals(now)) {
      return Optional.empty();
    }
    return Optional.of(
        "%s: %s: the repository was created as %s, its file system now is %s; move it back, or expect links to be copied"
            .formatted(ErrorCode.REPOSITORY_CHANGED, directory, then.label(), now.label()));
  }

  private static void closeQuietly(@Nullable LinuxFile lock) {
    if (lock != null) {
      lock.closeQuietly();
    }
  }
}
