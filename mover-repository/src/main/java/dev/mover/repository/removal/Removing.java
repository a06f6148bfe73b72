package dev.mover.repository.removal;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.point.Name;
import dev.mover.api.point.Removal;
import dev.mover.api.point.RemovalMode;
import dev.mover.repository.catalogue.PointList;
import dev.mover.repository.extent.ExtentLayout.Found;
import dev.mover.repository.link.LinkContext;
import dev.mover.repository.link.LinkRole;
import dev.mover.repository.retention.RetentionPolicy;
import dev.mover.transport.frame.Delete;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.Removed;
import dev.mover.transport.frame.Retain;
import java.util.List;
import java.util.function.Predicate;

/**
 * A link that deletes points, by name or by a retention. On the removal thread, of which there is
 * one, so that no two removals meet; blocks for as long.
 */
public final class Removing implements LinkRole {
  private final LinkContext link;
  private final RemovalServices services;
  private final FreeSpace space;
  private ExactReturn exact;
  private long points;

  public Removing(LinkContext link, RemovalServices services) {
    this.link = link;
    this.services = services;
    this.space = new FreeSpace(services.serving().layout().root());
    this.exact = exactReturn();
  }

  @Override
  public void onFrame(Frame frame) {
    switch (frame) {
      case Delete delete -> measured(delete.mode(), () -> delete(delete));
      case Retain retain -> measured(retain.mode(), () -> retain(retain));
      default ->
          throw LinkContext.violation(
              frame.getClass().getSimpleName() + " has no place where points are deleted");
    }
  }

  private void measured(RemovalMode mode, Runnable removal) {
    points = 0;
    exact = exactReturn();
    long before = mode.isDryRun() ? -1 : space.syncedBytes();
    removal.run();
    link.send(new Removed(null, points, points == 0 ? 0 : comesBack(mode, before)));
  }

  private long comesBack(RemovalMode mode, long before) {
    return switch (mode) {
      case DELETE -> {
        services.serving().damaged().forgetGone(services.serving().layout()::fileIds);
        yield space.freedSince(before);
      }
      case ESTIMATE -> 0;
      case EXACT -> exact.bytes();
    };
  }

  private ExactReturn exactReturn() {
    return new ExactReturn(
        services.serving().files(), services.serving().layout(), link::checkOver);
  }

  private void delete(Delete frame) {
    boolean all = frame.sequence() == 0;
    Predicate<Found> which = point -> all || point.sequence() == frame.sequence();
    if (removal(frame.machine()).points().stream().noneMatch(which)) {
      throw noSuchPoint(frame.machine().value(), frame.sequence());
    }
    remove(frame.machine(), which, frame.mode(), all);
  }

  private void retain(Retain frame) {
    PointList list = services.serving().points().get();
    RetentionPolicy policy = new RetentionPolicy(frame.keep(), services.zone());
    boolean any = false;
    for (String machine : frame.machine().isEmpty() ? list.machines() : List.of(frame.machine())) {
      link.checkOver();
      Surplus surplus = Surplus.of(machine, list, policy);
      any |= surplus.hasPoints();
      if (!surplus.isEmpty()) {
        retain(new Name(machine), surplus, frame.mode());
      }
    }
    if (!any && !frame.machine().isEmpty()) {
      throw noSuchPoint(frame.machine(), 0);
    }
  }

  /** One machine that can't be dealt with now must not keep the others from being so. */
  private void retain(Name machine, Surplus surplus, RemovalMode mode) {
    try {
      remove(machine, surplus::has, mode, false);
    } catch (MoverException e) {
      link.checkOver();
      tell(new Removal(machine.value(), List.of(), 0, 0, 0, e.getMessage()));
    }
  }

  private void remove(Name machine, Predicate<Found> which, RemovalMode mode, boolean all) {
    if (mode.isDryRun()) {
      plan(removal(machine), which, mode, all);
      return;
    }
    Removal done;
    do { // more than fit a frame
      link.checkOver();
      done = removal(machine).run(which, all);
      tell(done);
    } while (done.sequences().size() == Removal.MAX_POINTS);
  }

  private void plan(MachineRemoval removal, Predicate<Found> which, RemovalMode mode, boolean all) {
    List<Removal> plan = removal.plan(which, all);
    plan.forEach(this::tell);
    if (mode == RemovalMode.EXACT && services.mode().clones()) {
      removal.paths(which, all).forEach(exact::add);
    } else if (mode == RemovalMode.EXACT) {
      exact.addMapped(plan.getFirst());
    }
  }

  private MachineRemoval removal(Name machine) {
    return new MachineRemoval(services, machine, "asked for by " + link.peer(), link::isOver);
  }

  private void tell(Removal removal) {
    points += removal.sequences().size();
    link.send(new Removed(removal, points, 0));
  }

  private RepositoryException noSuchPoint(String machine, long sequence) {
    return new RepositoryException(
        ErrorCode.NO_SUCH_POINT,
        "%s: there is no point%s of machine %s; list the points to see what there is"
            .formatted(
                services.serving().layout().root(), sequence == 0 ? "" : " " + sequence, machine));
  }

  @Override
  public void end() {}

  @Override
  public void whenReleased(Runnable then) {
    then.run(); // between two frames nothing is held
  }
}
