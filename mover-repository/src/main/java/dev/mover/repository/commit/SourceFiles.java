package dev.mover.repository.commit;

import dev.mover.api.error.RepositoryException;
import dev.mover.api.memory.BufferPool;
import dev.mover.dedup.index.BlockPlace;
import dev.mover.repository.extent.ExtentFile;
import dev.mover.repository.extent.ExtentFiles;
import dev.mover.repository.extent.ExtentLayout;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
 * machine has a session. Used by one thread at a time; blocks.
 */
public final class SourceFiles implements AutoCloseable {
  /** Descriptors are few (1,024 a process by default) and a machine's blocks lie in few files. */
  static final int MAX_PINS = 256;

  private static final Logger LOG = LoggerFactory.getLogger(SourceFiles.class);
  private static final int UNKNOWN = -1;

  private final ExtentFiles files;
  private final ExtentMode mode;
  private final Path machineFolder;
  private final BufferPool pool;
  private final Function<UUID, Optional<Path>> catalogue;
  private final Map<UUID, Integer> numbers = new HashMap<>();
  private final List<Source> sources = new ArrayList<>();
  private int pins;

  /** One source. {@code file} is closed where a link only names it. */
  record Source(UUID fileId, long sequence, boolean committed, ExtentFile file, long sizeBytes) {}

  /**
   * Nothing is open yet.
   *
   * @param catalogue where a file was last seen
   */
  public SourceFiles(
      ExtentFiles files,
      ExtentMode mode,
      Path machineFolder,
      BufferPool pool,
      Function<UUID, Optional<Path>> catalogue) {
    this.files = files;
    this.mode = mode;
    this.machineFolder = machineFolder;
    this.pool = pool;
    this.catalogue = catalogue;
  }

  /** The number of a slot's file, or −1 when it can't be linked to. */
  public int numberOf(BlockPlace place) {
    int number = numberOf(place.fileId(), () -> find(place.fileId()));
    return number != UNKNOWN && isInside(sources.get(number - 1), place) ? number : UNKNOWN;
  }

  /** The number of a file that lies in {@code path}, or −1 when it can't be linked to. */
  public int numberOf(UUID fileId, Path path) {
    return numberOf(fileId, () -> Optional.of(path));
  }

  private int numberOf(UUID fileId, Supplier<Optional<Path>> locator) {
    Integer known = numbers.get(fileId);
    if (known == null) {
      known = pin(fileId, locator);
      numbers.put(fileId, known);
    }
    return known;
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
        pins += isRead(source.get().committed()) ? 1 : 0;
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
              && head.get().slotAlignment() == mode.slotAlignment();
      if (!sound) {
        return Optional.empty();
      }
      kept = isRead(name.get().committed());
      return Optional.of(
          new Source(fileId, name.get().sequence(), name.get().committed(), file, file.size()));
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
  private boolean isRead(boolean committed) {
    return mode.clones() || !committed;
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
    if (needed <= source.sizeBytes() || !isRead(source.committed())) {
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
