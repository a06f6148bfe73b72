package dev.mover.repository.session;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LimitException;
import dev.mover.api.error.Side;
import dev.mover.repository.commit.SourceFiles;
import dev.mover.repository.extent.Room;
import dev.mover.repository.file.BackupFile;
import dev.mover.repository.file.PartialFile;
import dev.mover.repository.slot.ReceiveMemory;
import dev.mover.repository.slot.TaskSlots;
import dev.mover.transport.frame.Open;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a session holds of the repository, taken in order and given back in the opposite one. Strand
 * only; blocks.
 */
final class SessionResources {
  private static final Logger LOG = LoggerFactory.getLogger(SessionResources.class);

  private final SessionServices services;
  private final Deque<Runnable> releases = new ArrayDeque<>();
  private final SessionFolder folder;
  private final SourceFiles sources;
  private final SessionKeys keys;
  private final @Nullable ParentMap parent;
  private final PartialFile partial;
  private final ReceiveMemory memory;
  private final TaskSlots.Session slots;

  /**
   * Takes everything, or nothing when it throws.
   *
   * @param ending whether the session is over
   * @throws dev.mover.api.error.RepositoryException MACHINE_BUSY, REPOSITORY_FULL and others
   * @throws LimitException OUT_OF_MEMORY_BUDGET when blocks of this size can never be received
   */
  SessionResources(SessionServices services, Open open, BooleanSupplier ending) {
    this.services = services;
    services.machines().enter(open.machine(), ending);
    releases.push(() -> services.machines().leave(open.machine()));
    try {
      memory = new ReceiveMemory(services.receive(), open.blockSize(), services.slots()::sharers);
      checkMemory(open);
      slots = services.slots().session(open.machine().value(), memory);
      releases.push(
          () -> {
            slots.stopResuming();
            memory.close();
            services.slots().memoryReturned();
          });
      folder = new SessionFolder(services, open);
      services.damaged().opened(folder.fileId()); // before anything is linked
      releases.push(folder::removeScratch);
      sources =
          new SourceFiles(
              services.files(),
              services.extent().mode(),
              folder.folder(),
              open.domain(),
              services.metadata(),
              services.catalogue()::find);
      releases.push(sources::close);
      keys = new SessionKeys(open.key());
      parent = openParent(open.domain());
      if (parent != null) {
        releases.push(parent::close);
      }
      Room.Reservation room =
          services
              .room()
              .reserve(
                  open.machine(),
                  new Expectation(services.catalogue()).of(open.machine(), folder.points()));
      releases.push(room::close);
      partial = folder.createPartial(open);
      releases.push(partial::close);
      room.countDown(partial::storedBytes);
    } catch (RuntimeException | Error e) {
      release();
      throw e;
    }
  }

  /** A point of another key domain has nothing to link to. */
  private @Nullable ParentMap openParent(UUID domain) {
    BackupFile newest = folder.openParent().orElse(null);
    if (newest != null && !newest.footer().domain().equals(domain)) {
      newest.close();
      return null;
    }
    return newest == null ? null : new ParentMap(newest, sources);
  }

  private void checkMemory(Open open) {
    if (memory.canNeverFit()) {
      throw new LimitException(
          ErrorCode.OUT_OF_MEMORY_BUDGET,
          Side.REPOSITORY,
          "blocks of %s do not fit the receive memory of %d bytes; use smaller blocks or raise receiveBytes"
              .formatted(open.blockSize().label(), services.receive().budgetBytes()));
    }
  }

  SessionFolder folder() {
    return folder;
  }

  SourceFiles sources() {
    return sources;
  }

  SessionKeys keys() {
    return keys;
  }

  @Nullable ParentMap parent() {
    return parent;
  }

  PartialFile partial() {
    return partial;
  }

  ReceiveMemory memory() {
    return memory;
  }

  /** The session's party in the queue for task slots. */
  TaskSlots.Session slots() {
    return slots;
  }

  /** Something else to give back, before everything that was taken earlier. */
  void onRelease(Runnable release) {
    releases.push(release);
  }

  /** Gives everything back; what fails is logged and the rest goes on. */
  void release() {
    while (!releases.isEmpty()) {
      try {
        releases.pop().run();
      } catch (RuntimeException e) {
        LOG.error("a session's resource could not be given back", e);
      }
    }
  }
}
