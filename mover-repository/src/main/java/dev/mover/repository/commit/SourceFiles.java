package dev.mover.repository.commit;

import dev.mover.api.block.SessionKey;
import dev.mover.api.block.WrappedKey;
import dev.mover.api.error.DataException;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.memory.BufferPool;
import dev.mover.dedup.index.BlockPlace;
import dev.mover.repository.extent.ExtentFile;
import dev.mover.repository.extent.ExtentFiles;
import dev.mover.repository.extent.ExtentLayout;
import dev.mover.repository.extent.ExtentLayout.State;
import dev.mover.repository.extent.ExtentMode;
import dev.mover.repository.file.BackupFile;
import dev.mover.repository.file.MapEntry;
import dev.mover.repository.file.Page;
import dev.mover.repository.file.SlotHeader;
import dev.mover.repository.file.Superblock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The backup files a session links to, numbered from 1 (0 is its own). Where the extent clones, a
 * number pins its file by an open descriptor, so that a deleted point can still be cloned from; at
 * most {@value #MAX_PINS}, further files count as unknown and their blocks are sent again. Where it
 * can't, the number names a committed file of the same machine, which can't be deleted while the
 * machine has a session; or, when the parent needs it, one that was deleted: of such a file only
 * what points use is left, so whatever the index says of it is a miss. Used by one thread at a
 * time; blocks.
 */
public final class SourceFiles implements AutoCloseable {
  /** Descriptors are few (1,024 a process by default) and a machine's blocks lie in few files. */
  static final int MAX_PINS = 256;

  private static final Logger LOG = LoggerFactory.getLogger(SourceFiles.class);
  private static final int UNKNOWN = -1;

  private final ExtentFiles files;
  private final ExtentMode mode;
  private final Path machineFolder;
  private final UUID domain;
  private final BufferPool pool;
  private final Function<UUID, Optional<Path>> catalogue;
  private final Map<UUID, Integer> numbers = new HashMap<>();
  private final Set<UUID> lost = new HashSet<>();
  private final List<Source> sources = new ArrayList<>();
  private int pins;

  /** One source. {@code file} is closed where a link only names it. */
  record Source(
      UUID fileId,
      long sequence,
      State state,
      ExtentFile file,
      long sizeBytes,
      Path path,
      Optional<WrappedKey> key) {
    boolean isPartial() {
      return state == State.PARTIAL;
    }

    /** Whether nothing of it was freed. */
    boolean isWhole() {
      return state == State.PARTIAL || state == State.POINT;
    }
  }

  /**
   * Nothing is open yet.
   *
   * @param domain key domain whose files alone are linked to
   * @param catalogue where a file was last seen
   */
  public SourceFiles(
      ExtentFiles files,
      ExtentMode mode,
      Path machineFolder,
      UUID domain,
      BufferPool pool,
      Function<UUID, Optional<Path>> catalogue) {
    this.files = files;
    this.mode = mode;
    this.machineFolder = machineFolder;
    this.domain = domain;
    this.pool = pool;
    this.catalogue = catalogue;
  }

  /**
   * Pins an open point: where the extent clones, its slots can be linked to even when it is
   * deleted. The descriptor stays the caller's, who keeps it open as long as this.
   */
  public void pin(BackupFile parent) {
    if (mode.clones() && parent.footer().slotAlignment() == mode.slotAlignment()) {
      sources.add(
          new Source(
              parent.footer().fileId(),
              parent.footer().sequence(),
              State.POINT,
              parent.file(),
              parent.footer().fileBytes(),
              parent.path(),
              ownKey(parent)));
      pins++;
      numbers.put(parent.footer().fileId(), sources.size());
    }
  }

  /** The number of the file that the index says has a slot, or −1 when it can't be linked to. */
  public int numberOf(BlockPlace place) {
    Integer known = numbers.get(place.fileId());
    if (known == null) {
      known = pin(place.fileId(), () -> find(place.fileId()).filter(SourceFiles::isWhole));
      numbers.put(place.fileId(), known);
    }
    return known != UNKNOWN
            && sources.get(known - 1).isWhole()
            && isInside(sources.get(known - 1), place)
        ? known
        : UNKNOWN;
  }

  /**
   * The number of a file whose slots the parent uses, or −1 when it can't be linked to.
   *
   * @param locator asked for its path, which may change meanwhile
   */
  public int numberOf(UUID fileId, Supplier<Path> locator) {
    int known = numbers.getOrDefault(fileId, UNKNOWN);
    if (known == UNKNOWN && !lost.contains(fileId)) {
      known = pin(fileId, () -> Optional.of(locator.get()));
      numbers.put(fileId, known);
      if (known == UNKNOWN) {
        lost.add(fileId);
      }
    }
    return known;
  }

  private static Optional<WrappedKey> ownKey(BackupFile point) {
    try {
      return point.keys(0, 1).stream().findFirst();
    } catch (DataException e) {
      LOG.warn("{}: blocks under its key count as unknown: {}", point.path(), e.getMessage());
      return Optional.empty();
    }
  }

  /** A key by the number it has in a source; nothing when it can't be had any more. */
  public Optional<WrappedKey> key(int number, int key) {
    Source source = sources.get(number - 1);
    if (key == 1 || source.isPartial()) {
      return key == 1 ? source.key() : Optional.empty();
    }
    try (BackupFile point = BackupFile.open(files, source.path(), pool)) {
      return point.footer().fileId().equals(source.fileId())
          ? point.keys(key - 1, 1).stream().findFirst()
          : Optional.empty();
    } catch (DataException | RepositoryException e) {
      LOG.warn("blocks under a key of {} count as unknown: {}", source.path(), e.getMessage());
      return Optional.empty();
    }
  }

  /** Partials grow, but lose nothing; of a deleted point only what others use is left. */
  private static boolean isWhole(Path path) {
    return ExtentLayout.parse(path).filter(name -> !name.deleted()).isPresent();
  }

  Source source(int number) {
    return sources.get(number - 1);
  }

  int count() {
    return sources.size();
  }

  /** A catalogue that fails costs dedup, not the backup. */
  private Optional<Path> find(UUID fileId) {
    try {
      return catalogue.apply(fileId);
    } catch (RepositoryException e) {
      LOG.warn("file {} counts as unknown: {}", fileId, e.getMessage());
      return Optional.empty();
    }
  }

  private int pin(UUID fileId, Supplier<Optional<Path>> locator) {
    if (pins == MAX_PINS || sources.size() == MapEntry.MAX_FILES) {
      return UNKNOWN;
    }
    for (int attempt = 0; attempt < 2; attempt++) { // it may be renamed between find and open
      Optional<Path> path = locator.get();
      if (path.isEmpty()) {
        return UNKNOWN;
      }
      Optional<Source> source = open(fileId, path.get());
      if (source.isPresent()) {
        sources.add(source.get());
        pins += isRead(source.get().isPartial()) ? 1 : 0;
        return sources.size();
      }
    }
    return UNKNOWN;
  }

  private Optional<Source> open(UUID fileId, Path path) {
    Optional<ExtentLayout.Found> name = ExtentLayout.parse(path).filter(this::isLinkable);
    if (name.isEmpty()) {
      return Optional.empty();
    }
    ExtentFile file = null;
    boolean kept = false;
    try {
      file = files.open(path);
      Optional<Superblock> head = BackupFile.superblock(file, pool);
      boolean sound =
          head.isPresent()
              && head.get().fileId().equals(fileId)
              && head.get().domain().equals(domain)
              && head.get().slotAlignment() == mode.slotAlignment();
      if (!sound) {
        return Optional.empty();
      }
      kept = isRead(name.get().partial());
      return Optional.of(
          new Source(
              fileId,
              name.get().sequence(),
              name.get().state(),
              file,
              file.size(),
              path,
              Optional.ofNullable(head.get().key()).map(SessionKey::key)));
    } catch (IOException e) {
      return Optional.empty(); // gone, or unreadable: a miss either way
    } finally {
      if (file != null && !kept) {
        file.close();
      }
    }
  }

  private boolean isLinkable(ExtentLayout.Found name) {
    return mode.clones() || machineFolder.equals(name.path().getParent());
  }

  /** Whether a link brings slots of such a file into this one; otherwise it only names it. */
  private boolean isRead(boolean partial) {
    return mode.clones() || partial;
  }

  /**
   * A stale place must not make a clone fail later; a partial may have grown since it was pinned.
   */
  private boolean isInside(Source source, BlockPlace place) {
    int alignment = mode.slotAlignment();
    long end = place.offset() + SlotHeader.occupied(place.storedLength(), Page.BYTES);
    return place.offset() >= Page.BYTES
        && place.offset() % alignment == 0
        && place.storedLength() > SlotHeader.BYTES
        && place.storedLength() <= SlotHeader.MAX_STORED
        && end <= sizeOf(source, end);
  }

  private long sizeOf(Source source, long needed) {
    if (needed <= source.sizeBytes() || !isRead(source.isPartial())) {
      return source.sizeBytes();
    }
    try {
      return source.file().size();
    } catch (IOException e) {
      return 0;
    }
  }

  @Override
  public void close() {
    sources.forEach(s -> s.file().close());
  }
}
