package dev.mover.repository.removal;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.point.Name;
import dev.mover.api.point.Removal;
import dev.mover.repository.extent.ExtentError;
import dev.mover.repository.extent.ExtentFiles;
import dev.mover.repository.extent.ExtentLayout;
import dev.mover.repository.extent.ExtentLayout.Found;
import dev.mover.repository.extent.ExtentLayout.State;
import dev.mover.repository.extent.Foreground;
import dev.mover.repository.file.BackupFile;
import dev.mover.repository.removal.RemovalServices.Writing;
import dev.mover.repository.session.SessionServices;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletes points of one machine, once. One thread; blocks. */
final class MachineRemoval {
  private static final Logger LOG = LoggerFactory.getLogger(MachineRemoval.class);

  /** Index and catalogue, which are only tidied, are left alone with less. */
  static final long ROOM_BYTES = 16 << 20;

  private final RemovalServices services;
  private final Name machine;
  private final String why;
  private final BooleanSupplier cancelled;
  private final ExtentFiles files;
  private final Path folder;
  private final PointDeletion deletion;
  private final FreeSpace space;
  private final List<Found> done = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();
  private @Nullable RepositoryException first;
  private boolean stopped;

  /**
   * Nothing is done yet.
   *
   * @param why for the log
   */
  MachineRemoval(RemovalServices services, Name machine, String why, BooleanSupplier cancelled) {
    this.why = why;
    this.services = services;
    this.machine = machine;
    this.cancelled = cancelled;
    this.files = services.serving().files();
    this.folder = services.serving().layout().machine(machine);
    this.deletion = new PointDeletion(files, services.serving().metadata());
    this.space = new FreeSpace(services.serving().layout().root());
  }

  /** Points of the machine, by sequence. */
  List<Found> points() {
    return files().stream().filter(Found::committed).toList();
  }

  /**
   * What would go: the points, what cut-off healings left, and of a machine that goes too what dead
   * sessions left.
   */
  List<Path> paths(Predicate<Found> which, boolean all) {
    List<Path> paths = new ArrayList<>();
    files().stream()
        .filter(file -> file.committed() ? which.test(file) : all && file.partial() && isIdle())
        .map(Found::path)
        .forEach(paths::add);
    paths.addAll(healings());
    return paths;
  }

  /** Whether no session has the partials of the machine, as far as can be known. */
  private boolean isIdle() {
    Writing writer = services.writer();
    return writer != null && !writer.machines().isLive(machine);
  }

  /** Says what would come back, the first of them for all; changes nothing. */
  List<Removal> plan(Predicate<Found> which, boolean all) {
    List<Found> doomed = points().stream().filter(which).toList();
    List<Found> stay = points().stream().filter(which.negate()).toList();
    ExpectedReturn back = new ExpectedReturn(files);
    if (all) {
      files().stream().filter(Found::partial).forEach(isIdle() ? back::addWhole : back::addPerhaps);
    }
    if (services.mode().clones()) {
      doomed.forEach(back::addWhole);
    } else {
      List<Found> gone = new ArrayList<>(doomed);
      files().stream().filter(Found::deleted).forEach(gone::add);
      for (int from = 0; from < gone.size(); from += SlotUsers.MOST_FILES) {
        List<Found> some = gone.subList(from, Math.min(from + SlotUsers.MOST_FILES, gone.size()));
        SlotUsers users = SlotUsers.of(files, services.serving().metadata(), stay, some);
        some.forEach(file -> back.addAllButUsed(file, users));
      }
    }
    List<Removal> plan = new ArrayList<>();
    for (int from = 0; from < doomed.size(); from += Removal.MAX_POINTS) {
      List<Found> some = doomed.subList(from, Math.min(from + Removal.MAX_POINTS, doomed.size()));
      plan.add(
          new Removal(
              machine.value(),
              some.stream().map(Found::sequence).toList(),
              stay.size(),
              from == 0 ? back.atLeastBytes() : 0,
              from == 0 ? back.atMostBytes() : 0,
              ""));
    }
    return plan;
  }

  /**
   * Deletes them. At most {@link Removal#MAX_POINTS} at once.
   *
   * @param all whether the machine goes too: what dead sessions left as well
   * @throws RepositoryException MACHINE_BUSY and others when nothing was deleted
   */
  Removal run(Predicate<Found> which, boolean all) {
    Writing writer = services.writerToDelete();
    if (services.mode().clones()) {
      unlink(doomed(which));
    } else {
      writer.machines().enter(machine, () -> true);
      try {
        unlist(doomed(which));
      } finally {
        writer.machines().leave(machine);
      }
    }
    if (done.isEmpty() && first != null) {
      throw first;
    }
    tidyFolder(writer, all);
    return new Removal(
        machine.value(),
        done.stream().map(Found::sequence).toList(),
        points().size(),
        0,
        0,
        String.join("; ", problems));
  }

  private List<Found> doomed(Predicate<Found> which) {
    return points().stream().filter(which).limit(Removal.MAX_POINTS).toList();
  }

  private void unlink(List<Found> doomed) {
    @Nullable BackupFile heir = heir(doomed);
    try {
      for (Found point : doomed) {
        attempt(point, () -> unlink(point, heir));
      }
    } finally {
      if (heir != null) {
        heir.close();
      }
    }
  }

  /** What holds the file open for the index holds its space: not where there is none. */
  private void unlink(Found point, @Nullable BackupFile heir) {
    Optional<BackupFile> held = hasRoom() ? deletion.open(point) : Optional.empty();
    try {
      deletion.unlink(point);
      held.ifPresent(file -> tidyIndex(file, heir));
    } finally {
      held.ifPresent(BackupFile::close);
    }
    forget(point);
  }

  private void unlist(List<Found> doomed) {
    try {
      for (Found point : doomed) {
        attempt(point, () -> deletion.unlist(point));
      }
    } finally {
      for (Found point : hasRoom() ? done : List.<Found>of()) {
        Found unlisted = ExtentLayout.parse(point.as(State.UNLISTED)).orElseThrow();
        deletion
            .open(unlisted)
            .ifPresent(
                file -> {
                  try (file) {
                    tidyIndex(file, null);
                  }
                });
      }
      problems.addAll(
          new DeletedFiles(files, services.mode(), services.serving().metadata(), folder).free());
      done.forEach(this::forget);
    }
  }

  /**
   * A scrub closes the point, for its lock, or its room, would stay otherwise. A point that is
   * being read is left; any other failure ends the removal.
   */
  private void attempt(Found point, Runnable step) {
    if (cancelled.getAsBoolean() || stopped) {
      return;
    }
    Foreground foreground = services.serving().threads().foreground();
    foreground.removalBegins(point.path());
    try {
      step.run();
      done.add(point);
      services.serving().figures().deleted();
      DeletionLog.deleted(point.path(), why);
    } catch (RepositoryException e) {
      first = first == null ? e : first;
      stopped = e.code() != ErrorCode.MACHINE_BUSY;
      problems.add(String.valueOf(e.getMessage()));
    } finally {
      foreground.removalEnded();
    }
  }

  private boolean hasRoom() {
    return space.usableBytes() >= ROOM_BYTES;
  }

  /** The point whose slots take the place of deleted ones in the index: the first that stays. */
  private @Nullable BackupFile heir(List<Found> doomed) {
    return points().stream()
        .filter(p -> !doomed.contains(p))
        .filter(p -> doomed.isEmpty() || p.sequence() > doomed.getFirst().sequence())
        .findFirst()
        .flatMap(deletion::open)
        .orElse(null);
  }

  private void tidyIndex(BackupFile deleted, @Nullable BackupFile heir) {
    index()
        .ifPresent(
            open -> {
              try {
                new IndexTidy(open.index(), deleted.footer().fileId(), cancelled)
                    .run(deleted, heir);
              } catch (MoverException e) {
                LOG.info("{}: the index keeps places in it: {}", deleted.path(), e.getMessage());
              }
            });
  }

  private void forget(Found point) {
    index()
        .filter(_ -> hasRoom())
        .ifPresent(
            open -> {
              try {
                open.catalogue().deleted(machine, point.sequence(), point.fileId());
              } catch (MoverException e) {
                LOG.info("{}: the catalogue keeps its record: {}", point.path(), e.getMessage());
              }
            });
  }

  private Optional<SessionServices> index() {
    return services.writerToDelete().index().get();
  }

  /** What cut-off healings left goes too, and the folder without points; but for a session's. */
  private void tidyFolder(Writing writer, boolean all) {
    if (cancelled.getAsBoolean()) {
      return;
    }
    try {
      writer.machines().enter(machine, () -> true);
    } catch (RepositoryException e) {
      LOG.debug("{}: has a session: {}", folder, e.getMessage());
      return;
    }
    try {
      removeHealings();
      if (points().isEmpty()) {
        removeFolder(all);
      }
    } catch (IOException e) {
      LOG.warn("{}: could not be tidied: {}", folder, e.getMessage());
    } finally {
      writer.machines().leave(machine);
    }
  }

  private void removeHealings() throws IOException {
    List<Path> left = healings();
    if (!left.isEmpty()) {
      files.syncDirectory(folder); // a leftover goes when what took its place is sure to stay
    }
    for (Path healing : left) {
      files.delete(healing);
    }
  }

  private void removeFolder(boolean all) throws IOException {
    for (Found left : files()) {
      if (all && left.partial()) {
        files.delete(left.path());
      }
    }
    if (files().isEmpty()) {
      files.delete(folder);
      files.syncDirectory(services.serving().layout().machines());
    }
  }

  private List<Path> healings() {
    try {
      return ExtentLayout.healings(folder);
    } catch (IOException e) {
      throw ExtentError.reading(folder.toString(), e);
    }
  }

  private List<Found> files() {
    try {
      return ExtentLayout.files(folder);
    } catch (IOException e) {
      throw ExtentError.reading(folder.toString(), e);
    }
  }
}
