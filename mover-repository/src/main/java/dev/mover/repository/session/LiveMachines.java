package dev.mover.repository.session;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.point.Name;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Which machines have a session: one at a time each. Thread-safe. */
public final class LiveMachines {
  private final Set<Name> live = ConcurrentHashMap.newKeySet();

  /**
   * @throws RepositoryException MACHINE_BUSY
   */
  void enter(Name machine) {
    if (!live.add(machine)) {
      throw new RepositoryException(
          ErrorCode.MACHINE_BUSY,
          "%s: another session of this machine is running; wait for its end".formatted(machine));
    }
  }

  void leave(Name machine) {
    live.remove(machine);
  }

  public int count() {
    return live.size();
  }
}
