package dev.mover.deploy.daemon;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LimitException;
import dev.mover.api.error.Side;
import dev.mover.deploy.wiring.RepositoryDoor;
import dev.mover.proxy.Cancellation;
import dev.mover.transport.link.LinkConnector;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The repositories that running jobs back up to, each opened once and shared by its jobs: a
 * directory lets in one writer only. At most {@value #MOST_DIRECTORIES} directory is open at once,
 * because each brings a repository's memory into this process; who wants another waits. Daemons
 * ({@code mover://}) cost next to nothing and are not counted. Thread-safe.
 */
final class RepositoryDoors {
  static final int MOST_DIRECTORIES = 1;

  /** One that is open. */
  private static final class Shared {
    private final RepositoryDoor door;
    private int users = 1;

    Shared(RepositoryDoor door) {
      this.door = door;
    }
  }

  private final int slots;
  private final Map<String, Shared> open = new HashMap<>();

  /**
   * Opens nothing yet.
   *
   * @param slots tasks at once of an embedded repository
   */
  RepositoryDoors(int slots) {
    this.slots = slots;
  }

  /** A job's hold on a repository; the last one to leave closes it. */
  final class Visit implements AutoCloseable {
    private final String place;
    private final LinkConnector connector;

    private Visit(String place, LinkConnector connector) {
      this.place = place;
      this.connector = connector;
    }

    LinkConnector connector() {
      return connector;
    }

    @Override
    public void close() {
      leave(place);
    }
  }

  /**
   * Opens {@code place}, or joins who has it open; waits for its turn.
   *
   * @param waiting told once when it has to wait
   * @throws dev.mover.api.error.MoverException when it can't be opened; CANCELLED while it waits
   */
  synchronized Visit enter(String place, Cancellation cancellation, Runnable waiting) {
    cancellation.onCancel(this::wakeAll);
    boolean told = false;
    while (!cancellation.isCancelled()) {
      Optional<Visit> visit = tryEnter(place);
      if (visit.isPresent()) {
        return visit.get();
      }
      if (!told) {
        told = true;
        waiting.run();
      }
      try {
        wait();
      } catch (InterruptedException e) {
        throw cancelled(e);
      }
    }
    throw cancelled(null);
  }

  private Optional<Visit> tryEnter(String place) {
    Shared shared = open.get(place);
    if (shared != null) {
      shared.users++;
      return Optional.of(new Visit(place, shared.door.connector()));
    }
    if (isDirectory(place) && directories() >= MOST_DIRECTORIES) {
      return Optional.empty();
    }
    RepositoryDoor door = RepositoryDoor.forBackup(place, slots);
    open.put(place, new Shared(door));
    return Optional.of(new Visit(place, door.connector()));
  }

  private synchronized void wakeAll() {
    notifyAll();
  }

  /** Closing waits for the directory's last syncs; nobody may open it meanwhile. */
  private synchronized void leave(String place) {
    Shared shared = open.get(place);
    if (shared != null && --shared.users == 0) {
      try {
        shared.door.close();
      } finally {
        open.remove(place);
        notifyAll();
      }
    }
  }

  private long directories() {
    return open.keySet().stream().filter(RepositoryDoors::isDirectory).count();
  }

  private static boolean isDirectory(String place) {
    return !place.contains("://");
  }

  private static LimitException cancelled(@Nullable InterruptedException e) {
    return new LimitException(
        ErrorCode.CANCELLED, Side.PROXY, "the backup was cancelled before it began", e);
  }
}
