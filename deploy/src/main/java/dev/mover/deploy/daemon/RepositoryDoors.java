package dev.mover.deploy.daemon;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LimitException;
import dev.mover.api.error.Side;
import dev.mover.deploy.wiring.RepositoryDoor;
import dev.mover.proxy.Cancellation;
import dev.mover.transport.link.LinkConnector;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The repositories that running jobs back up to, each opened once and shared by its jobs: a
 * directory lets in one writer only. At most {@value #MOST_DIRECTORIES} directory is open at once,
 * because each brings a repository's memory into this process; who wants another waits. Daemons
 * ({@code mover://}) cost next to nothing and are not counted. Thread-safe.
 */
final class RepositoryDoors {
  static final int MOST_DIRECTORIES = 1;

  /** One that somebody has entered; without a door while it is being opened or closed. */
  private static final class Shared {
    private @Nullable RepositoryDoor door;
    private int users = 1;
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
  Visit enter(String place, Cancellation cancellation, Runnable waiting) {
    cancellation.onCancel(this::wakeAll);
    RepositoryDoor joined = join(place, cancellation, waiting);
    return new Visit(place, (joined == null ? open(place) : joined).connector());
  }

  /** The door of who has it open; null: it is ours to open. */
  private synchronized @Nullable RepositoryDoor join(
      String place, Cancellation cancellation, Runnable waiting) {
    boolean told = false;
    while (!cancellation.isCancelled()) {
      Shared shared = open.get(place);
      if (shared != null && shared.door != null) {
        shared.users++;
        return shared.door;
      }
      if (shared == null && mayOpen(place)) {
        open.put(place, new Shared());
        return null;
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

  private boolean mayOpen(String place) {
    return !isDirectory(place) || directories() < MOST_DIRECTORIES;
  }

  /** Without the lock: a directory takes seconds, and others want to be told, or cancelled. */
  private RepositoryDoor open(String place) {
    RepositoryDoor door = null;
    try {
      door = RepositoryDoor.forBackup(place, slots);
      return door;
    } finally {
      opened(place, door);
    }
  }

  private synchronized void opened(String place, @Nullable RepositoryDoor door) {
    if (door == null) {
      open.remove(place);
    } else {
      Objects.requireNonNull(open.get(place)).door = door;
    }
    notifyAll();
  }

  private synchronized void wakeAll() {
    notifyAll();
  }

  /** Closing waits for the directory's last syncs; nobody may open it meanwhile. */
  private void leave(String place) {
    RepositoryDoor last = lastDoor(place);
    if (last != null) {
      try {
        last.close();
      } finally {
        opened(place, null);
      }
    }
  }

  /** The door, when nobody else has entered; it is this caller's to close then. */
  private synchronized @Nullable RepositoryDoor lastDoor(String place) {
    Shared shared = Objects.requireNonNull(open.get(place), "who leaves has entered");
    if (--shared.users > 0) {
      return null;
    }
    RepositoryDoor door = shared.door;
    shared.door = null;
    return door;
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
