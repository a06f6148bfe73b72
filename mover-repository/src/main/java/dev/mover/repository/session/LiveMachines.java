package dev.mover.repository.session;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.point.Name;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Which machines have a session, one at a time each, and how that stands. Thread-safe. */
public final class LiveMachines {
  private final Map<Name, Supplier<Optional<SessionStatus>>> live = new ConcurrentHashMap<>();

  /**
   * Begins a session that can't be seen yet.
   *
   * @throws RepositoryException MACHINE_BUSY
   */
  void enter(Name machine) {
    if (live.putIfAbsent(machine, Optional::empty) != null) {
      throw new RepositoryException(
          ErrorCode.MACHINE_BUSY,
          "%s: another session of this machine is running; wait for its end".formatted(machine));
    }
  }

  /** Lets the machine's session be seen. */
  void show(Name machine, Supplier<SessionStatus> status) {
    live.replace(machine, () -> Optional.of(status.get()));
  }

  void leave(Name machine) {
    live.remove(machine);
  }

  public int count() {
    return live.size();
  }

  /** Every session that can be seen, the oldest first. */
  public List<SessionStatus> sessions() {
    return live.values().stream()
        .flatMap(session -> session.get().stream())
        .sorted(Comparator.comparing(SessionStatus::since))
        .toList();
  }
}
