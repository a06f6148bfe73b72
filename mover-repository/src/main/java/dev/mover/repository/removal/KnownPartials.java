package dev.mover.repository.removal;

import dev.mover.api.error.MoverException;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.linux.LinuxFile;
import dev.mover.api.point.Name;
import dev.mover.api.point.Partial;
import dev.mover.repository.extent.ExtentError;
import dev.mover.repository.extent.ExtentFile;
import dev.mover.repository.extent.ExtentLayout;
import dev.mover.repository.extent.ExtentLayout.Found;
import dev.mover.repository.file.BackupFile;
import dev.mover.repository.file.Superblock;
import dev.mover.repository.removal.RemovalServices.Writing;
import dev.mover.repository.serve.ServeServices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What sessions that have not committed left. Removing it costs only that the machine's next backup
 * sends again what was in it: no point needs a partial, where the extent can't clone neither.
 * Thread-safe; every method blocks.
 */
public final class KnownPartials {
  private static final Logger LOG = LoggerFactory.getLogger(KnownPartials.class);
  private static final UUID UNKNOWN = new UUID(0, 0);

  /** A look into every machine's folder is no work for every scrape of a metric. */
  private static final long MEASURE_EVERY_NS = TimeUnit.MINUTES.toNanos(1);

  private final RemovalServices services;
  private final ServeServices serving;
  private final ExtentLayout layout;
  private volatile @Nullable Measured measured;

  /** What they took at {@code atNs}. */
  private record Measured(long bytes, long atNs) {}

  public KnownPartials(RemovalServices services) {
    this.services = services;
    this.serving = services.serving();
    this.layout = serving.layout();
  }

  /**
   * The next ones, by file.
   *
   * @param machine only this one's; empty: all
   * @param after the file of the last one before; empty: from the start
   */
  public List<Partial> after(String machine, String after, int limit) {
    List<Partial> found = new ArrayList<>();
    String lastFolder = after.substring(0, Math.max(0, after.indexOf('/')));
    for (Path folder : folders(machine)) {
      if (folder.getFileName().toString().compareTo(lastFolder) >= 0) {
        for (Found partial : in(folder)) {
          if (found.size() == limit) {
            return found;
          }
          if (file(partial).compareTo(after) > 0) {
            describe(folder, partial).ifPresent(found::add);
          }
        }
      }
    }
    return found;
  }

  /** What all of them take on disk, as it was at most a minute ago. */
  public long occupiedBytes() {
    Measured last = measured;
    if (last == null || System.nanoTime() - last.atNs() > MEASURE_EVERY_NS) {
      last = new Measured(measure(), System.nanoTime());
      measured = last;
    }
    return last.bytes();
  }

  private long measure() {
    return folders("").stream()
        .flatMap(folder -> in(folder).stream())
        .mapToLong(partial -> occupiedBytes(partial.path()))
        .sum();
  }

  /** Machines that have one which {@code which} holds for. */
  List<Name> machines(Predicate<Partial> which) {
    List<Name> machines = new ArrayList<>();
    for (Path folder : folders("")) {
      in(folder).stream()
          .flatMap(partial -> describe(folder, partial).stream())
          .filter(which)
          .findFirst()
          .ifPresent(partial -> machines.add(partial.machine()));
    }
    return machines;
  }

  /**
   * Takes partials of a machine off the disk: none of them is found after a crash once this has
   * returned. Their space comes back when the index has forgotten them and {@link
   * RemovedPartials#close} is called.
   *
   * @param most of them, by file
   * @param why for the log
   * @throws RepositoryException MACHINE_BUSY while a session of the machine is open,
   *     REPOSITORY_READ_ONLY, and others
   */
  public RemovedPartials remove(Name machine, Predicate<Partial> which, int most, String why) {
    Writing writer = services.writerToDelete();
    Path folder = layout.machine(machine);
    writer.machines().enter(machine, () -> true);
    RemovedPartials removed = new RemovedPartials(serving, writer);
    try {
      for (Found partial : in(folder)) {
        describe(folder, partial, Partial.Use.FREE)
            .filter(which)
            .filter(_ -> removed.partials().size() < most)
            .ifPresent(known -> remove(removed, partial, known, why));
      }
      if (!removed.partials().isEmpty()) {
        serving.files().syncDirectory(folder);
        removeFolderIfEmpty(folder);
      }
      return removed;
    } catch (IOException e) {
      removed.close();
      throw ExtentError.writing(folder.toString(), 0, e);
    } catch (RuntimeException | Error e) {
      removed.close();
      throw e;
    } finally {
      writer.machines().leave(machine);
    }
  }

  private void remove(RemovedPartials removed, Found partial, Partial known, String why) {
    @Nullable ExtentFile open = open(partial.path());
    try {
      serving.files().delete(partial.path());
    } catch (IOException e) {
      if (open != null) {
        open.close();
      }
      throw ExtentError.writing(partial.path().toString(), 0, e);
    }
    removed.add(known, partial.fileId(), open);
    measured = null;
    DeletionLog.deleted(partial.path(), "%d bytes, %s".formatted(known.occupiedBytes(), why));
  }

  /** Null when it can't be read: then the index can't be told, and finds out by itself. */
  private @Nullable ExtentFile open(Path path) {
    try {
      return serving.files().open(path);
    } catch (IOException e) {
      LOG.info("{}: is removed unread: {}", path, e.getMessage());
      return null;
    }
  }

  private void removeFolderIfEmpty(Path folder) throws IOException {
    if (ExtentLayout.files(folder).isEmpty() && ExtentLayout.healings(folder).isEmpty()) {
      serving.files().delete(folder);
      serving.files().syncDirectory(layout.machines());
    }
  }

  private List<Path> folders(String machine) {
    try {
      return machine.isEmpty()
          ? layout.machineFolders().stream()
              .sorted(Comparator.comparing(folder -> folder.getFileName().toString()))
              .toList()
          : List.of(layout.machine(new Name(machine)));
    } catch (IOException e) {
      throw ExtentError.reading(layout.machines().toString(), e);
    }
  }

  private List<Found> in(Path folder) {
    try {
      return ExtentLayout.files(folder).stream()
          .filter(Found::partial)
          .sorted(Comparator.comparing(this::file))
          .toList();
    } catch (NoSuchFileException e) {
      return List.of(); // deleted meanwhile
    } catch (IOException e) {
      throw ExtentError.reading(folder.toString(), e);
    }
  }

  private String file(Found partial) {
    Path folder = Objects.requireNonNull(partial.path().getParent(), "a partial lies in a folder");
    return folder.getFileName() + "/" + partial.path().getFileName();
  }

  private Optional<Partial> describe(Path folder, Found partial) {
    return describe(folder, partial, Partial.Use.UNKNOWN).map(this::withUse);
  }

  private Partial withUse(Partial p) {
    Writing writer = services.writer();
    if (writer == null) {
      return p;
    }
    Partial.Use use =
        writer.machines().isLive(p.machine()) ? Partial.Use.SESSION : Partial.Use.FREE;
    return new Partial(
        p.machine(), p.file(), p.sessionId(), p.begunAt(), p.writtenAt(), p.occupiedBytes(), use);
  }

  /** Nothing when it is gone. */
  private Optional<Partial> describe(Path folder, Found partial, Partial.Use use) {
    Optional<Superblock> head = head(partial.path());
    try {
      return Optional.of(
          new Partial(
              head.map(Superblock::machine).orElseGet(() -> ExtentLayout.machineOf(folder)),
              file(partial),
              head.map(Superblock::sessionId).orElse(UNKNOWN),
              head.map(Superblock::openedAt).orElse(Instant.EPOCH),
              Files.getLastModifiedTime(partial.path()).toInstant(),
              occupiedBytes(partial.path()),
              use));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw ExtentError.reading(partial.path().toString(), e);
    }
  }

  private Optional<Superblock> head(Path path) {
    try (ExtentFile file = serving.files().open(path)) {
      return BackupFile.superblock(file, serving.metadata());
    } catch (IOException | MoverException e) {
      LOG.debug("{}: its head can't be read: {}", path, e.getMessage());
      return Optional.empty();
    }
  }

  /** 0 when it is gone. */
  private static long occupiedBytes(Path path) {
    try {
      return LinuxFile.occupiedBytes(path);
    } catch (IOException e) {
      return 0;
    }
  }
}
