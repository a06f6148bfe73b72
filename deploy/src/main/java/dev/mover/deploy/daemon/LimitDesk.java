package dev.mover.deploy.daemon;

import java.util.function.Consumer;

/** The limits in force, and who is told when they change. Thread-safe. */
final class LimitDesk {
  private final int mostTasks;
  private final Consumer<Limits> onChange;
  private Limits now;

  /**
   * Puts the first limits in force.
   *
   * @param mostTasks what {@code maxConcurrentTasks} may rise to
   * @param onChange puts limits in force; called under this object's lock
   */
  LimitDesk(Limits first, int mostTasks, Consumer<Limits> onChange) {
    this.now = first;
    this.mostTasks = mostTasks;
    this.onChange = onChange;
    onChange.accept(first);
  }

  synchronized Limits now() {
    return now;
  }

  /**
   * Changes what {@code body} says.
   *
   * @throws dev.mover.api.error.InputException BAD_USAGE, and nothing has changed
   */
  synchronized Limits change(String body) {
    Limits next = now.with(body, mostTasks);
    onChange.accept(next);
    now = next;
    return next;
  }
}
