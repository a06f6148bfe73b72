package dev.mover.repository.removal;

import dev.mover.api.error.MoverException;
import dev.mover.api.point.Name;
import dev.mover.api.point.Removal;
import dev.mover.api.point.Retention;
import dev.mover.repository.retention.RetentionPolicy;
import dev.mover.repository.retention.RetentionRules;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps to a retention without being asked: what a new point of a machine makes surplus goes as
 * soon as the session that made it is over. On the removal thread, one machine at a time, so that a
 * removal that somebody waits for comes in between; what can't go now goes after the machine's next
 * backup. Memory: a name for each machine that is due. Thread-safe.
 */
public final class StandingRetention {
  private static final Logger LOG = LoggerFactory.getLogger(StandingRetention.class);

  private final RemovalServices services;
  private final BooleanSupplier closing;
  private final Set<Name> committed = new HashSet<>();
  private final Set<Name> due = new LinkedHashSet<>();
  private RetentionRules rules = RetentionRules.NONE;
  private boolean working;

  /**
   * Keeps all until it has rules.
   *
   * @param closing asked between two points and two machines
   */
  public StandingRetention(RemovalServices services, BooleanSupplier closing) {
    this.services = services;
    this.closing = closing;
  }

  /** From now on; every machine is looked at once. */
  public synchronized void keep(RetentionRules now) {
    rules = now;
    if (!now.rules().isEmpty()) {
      execute(() -> services.serving().points().get().machines().forEach(m -> due(new Name(m))));
    }
  }

  /** A machine has a new point, and a session yet; doesn't block. */
  public synchronized void committed(Name machine) {
    if (rules.of(machine).isPresent()) {
      committed.add(machine);
    }
  }

  /** A machine has no session any more; doesn't block. */
  public synchronized void left(Name machine) {
    if (committed.remove(machine)) {
      due(machine);
    }
  }

  private synchronized void due(Name machine) {
    due.add(machine);
    if (!working) {
      working = true;
      execute(this::work);
    }
  }

  private void execute(Runnable task) {
    try {
      services.serving().threads().removals().execute(task);
    } catch (RejectedExecutionException e) {
      LOG.debug("closing: {}", e.getMessage());
    }
  }

  private void work() {
    Name machine = next();
    if (machine == null) {
      return;
    }
    try {
      retain(machine);
    } catch (MoverException e) {
      LOG.warn("{}: the retention waits for its next backup: {}", machine, e.getMessage());
    } finally {
      execute(this::work);
    }
  }

  private synchronized @Nullable Name next() {
    if (due.isEmpty() || closing.getAsBoolean()) {
      working = false;
      return null;
    }
    Name machine = due.iterator().next();
    due.remove(machine);
    return machine;
  }

  private synchronized Optional<Retention> keepOf(Name machine) {
    return rules.of(machine);
  }

  private void retain(Name machine) {
    Optional<Retention> keep = keepOf(machine);
    if (keep.isEmpty()) {
      return;
    }
    RetentionPolicy policy = new RetentionPolicy(keep.get(), services.zone());
    Surplus surplus = Surplus.of(machine.value(), services.serving().points().get(), policy);
    if (surplus.isEmpty()) {
      return;
    }
    Removal done;
    do { // a machine may have more than go at once
      done =
          new MachineRemoval(services, machine, "by the retention", closing)
              .run(surplus::has, false);
      if (!done.problem().isEmpty()) {
        LOG.info("{}: points stay until its next backup: {}", machine, done.problem());
      }
    } while (done.sequences().size() == Removal.MAX_POINTS);
    services.serving().damaged().forgetGone(services.serving().layout()::fileIds);
  }
}
