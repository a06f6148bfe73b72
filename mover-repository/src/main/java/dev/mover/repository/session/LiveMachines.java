package dev.mover.repository.session;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.point.Name;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Which machines have a session, one at a time each, and how that stands. Thread-safe. */
public final class LiveMachines {
  private final Map<Name, Live> live = new HashMap<>();
  private final Map<Name, Deque<Runnable>> waiting = new HashMap<>();

  /** A machine's session. */
  private record Live(BooleanSupplier ending, Supplier<Optional<SessionStatus>> status) {}

  /**
   * Begins a session that can't be seen yet, or keeps sessions away for a while.
   *
   * @param ending whether the session is over and about to leave
   * @throws RepositoryException MACHINE_BUSY
   */
  public synchronized void enter(Name machine, BooleanSupplier ending) {
    if (live.putIfAbsent(machine, new Live(ending, Optional::empty)) != null) {
      throw new RepositoryException(
          ErrorCode.MACHINE_BUSY,
          "%s: another session of this machine is running; wait for its end".formatted(machine));
    }
  }

  /** Lets the machine's session be seen. */
  synchronized void show(Name machine, Supplier<SessionStatus> status) {
    live.computeIfPresent(machine, (_, l) -> new Live(l.ending(), () -> Optional.of(status.get())));
  }

  /** What was entered is over. */
  public void leave(Name machine) {
    Runnable next = null;
    synchronized (this) {
      live.remove(machine);
      Deque<Runnable> queue = waiting.get(machine);
      if (queue != null) {
        next = queue.poll();
      }
    }
    if (next != null) {
      next.run();
    }
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

  public synchronized int count() {
    return live.size();
  }

  /** Every session that can be seen, the oldest first. */
  public List<SessionStatus> sessions() {
    List<Live> all;
    synchronized (this) {
      all = new ArrayList<>(live.values());
    }
    return all.stream()
        .flatMap(session -> session.status().get().stream())
        .sorted(Comparator.comparing(SessionStatus::since))
        .toList();
  }
}
