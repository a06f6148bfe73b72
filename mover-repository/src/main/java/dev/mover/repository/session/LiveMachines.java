package dev.mover.repository.session;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.point.Name;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which machines have a session, one at a time each, and how that stands. Thread-safe. */
public final class LiveMachines {
  private static final Logger LOG = LoggerFactory.getLogger(LiveMachines.class);

  private final Map<Name, Live> live = new HashMap<>();
  private final Map<Name, Deque<Runnable>> waiting = new HashMap<>();
  private volatile Consumer<Name> afterLeave = _ -> {};

  /** A machine's session. */
  private record Live(BooleanSupplier ending, @Nullable BackupSession session) {}

  /**
   * Begins a session that can't be seen yet, or keeps sessions away for a while.
   *
   * @param ending whether the session is over and about to leave
   * @throws RepositoryException MACHINE_BUSY
   */
  public synchronized void enter(Name machine, BooleanSupplier ending) {
    Live there = live.putIfAbsent(machine, new Live(ending, null));
    if (there != null) {
      BackupSession session = there.session();
      throw new RepositoryException(
          ErrorCode.MACHINE_BUSY,
          "%s: %s"
              .formatted(
                  machine,
                  session == null ? "another session is being opened" : session.whyBusy()));
    }
  }

  /** Lets the machine's session be seen. */
  synchronized void show(Name machine, BackupSession session) {
    live.computeIfPresent(machine, (_, l) -> new Live(l.ending(), session));
  }

  /** The machine's session, when it can be seen. */
  synchronized Optional<BackupSession> find(Name machine) {
    Live there = live.get(machine);
    return there == null ? Optional.empty() : Optional.ofNullable(there.session());
  }

  /**
   * Ends the sessions whose link was lost (those of links end with them) and waits for that.
   *
   * @return false when some had not ended by then
   */
  public boolean endAll(RepositoryException why, Duration within) {
    long deadline = System.nanoTime() + within.toNanos();
    seen().forEach(session -> session.shutDown(why));
    synchronized (this) {
      while (!live.isEmpty() && System.nanoTime() - deadline < 0) {
        try {
          wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
        } catch (InterruptedException e) {
          LOG.debug("closing a repository takes no interrupts", e);
        }
      }
      return live.isEmpty();
    }
  }

  private synchronized List<BackupSession> seen() {
    return live.values().stream().map(Live::session).filter(Objects::nonNull).toList();
  }

  /** What is told of every {@link #leave}, when it is done; must not block. */
  public void afterLeave(Consumer<Name> then) {
    afterLeave = then;
  }

  /** What was entered is over. */
  public void leave(Name machine) {
    Runnable next = null;
    synchronized (this) {
      live.remove(machine);
      notifyAll();
      Deque<Runnable> queue = waiting.get(machine);
      if (queue != null) {
        next = queue.poll();
      }
    }
    if (next != null) {
      next.run();
    }
    afterLeave.accept(machine);
  }

  /** Whether the machine's session is over, and only has to give back what it holds. */
  public synchronized boolean isEnding(Name machine) {
    Live session = live.get(machine);
    return session == null || session.ending().getAsBoolean();
  }

  /**
   * Runs {@code then} once, when the machine's session leaves, or at once when it has left; it must
   * not block. Bounded by the number of links.
   */
  public void whenLeft(Name machine, Runnable then) {
    synchronized (this) {
      if (live.containsKey(machine)) {
        waiting.computeIfAbsent(machine, _ -> new ArrayDeque<>()).add(then);
        return;
      }
    }
    then.run();
  }

  /** Forgets what {@link #whenLeft} was given. */
  public synchronized void waitNoMore(Name machine, Runnable then) {
    Deque<Runnable> queue = waiting.get(machine);
    if (queue != null) {
      queue.remove(then);
      if (queue.isEmpty()) {
        waiting.remove(machine);
      }
    }
  }

  /** Whether the machine has a session, or is kept from having one. */
  public synchronized boolean isLive(Name machine) {
    return live.containsKey(machine);
  }

  public synchronized int count() {
    return live.size();
  }

  /** Every session that can be seen, the oldest first. */
  public List<SessionStatus> sessions() {
    return seen().stream()
        .map(BackupSession::status)
        .sorted(Comparator.comparing(SessionStatus::since))
        .toList();
  }
}
