package dev.mover.repository.removal;

import dev.mover.api.point.Partial;
import dev.mover.repository.link.LinkContext;
import dev.mover.repository.link.LinkRole;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.ListPartials;
import dev.mover.transport.frame.Partials;
import dev.mover.transport.frame.RemovePartials;
import java.util.List;

/** A link that lists and removes partials. Strand only; blocks on metadata and the index. */
public final class PartialsDesk implements LinkRole {
  private final LinkContext link;
  private final KnownPartials partials;

  public PartialsDesk(LinkContext link, KnownPartials partials) {
    this.link = link;
    this.partials = partials;
  }

  @Override
  public void onFrame(Frame frame) {
    switch (frame) {
      case ListPartials f -> {
        List<Partial> found = partials.after(f.machine(), f.after(), Partials.MAX_PARTIALS);
        link.send(new Partials(found, found.size() < Partials.MAX_PARTIALS));
      }
      case RemovePartials f -> remove(f);
      default ->
          throw LinkContext.violation(
              frame.getClass().getSimpleName() + " has no place where partials are looked after");
    }
  }

  /** Told once their space is back. */
  private void remove(RemovePartials frame) {
    List<Partial> gone = gone(frame);
    link.send(new Partials(gone, gone.size() < Partials.MAX_PARTIALS));
  }

  private List<Partial> gone(RemovePartials frame) {
    try (RemovedPartials removed =
        partials.remove(
            frame.machine(), _ -> true, Partials.MAX_PARTIALS, "asked for by " + link.peer())) {
      removed.forget(link::isOver);
      return removed.partials();
    }
  }

  @Override
  public void end() {}

  @Override
  public void whenReleased(Runnable then) {
    then.run(); // between two frames nothing is held
  }
}
