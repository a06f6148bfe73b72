package dev.mover.repository;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.RepositoryException;
import dev.mover.repository.extent.ExtentThreads;
import dev.mover.repository.link.LinkContext;
import dev.mover.repository.link.LinkRole;
import dev.mover.repository.removal.KnownPartials;
import dev.mover.repository.removal.PartialsDesk;
import dev.mover.repository.removal.RemovalServices;
import dev.mover.repository.removal.Removing;
import dev.mover.repository.serve.PointReading;
import dev.mover.repository.serve.ServeServices;
import dev.mover.repository.serve.Verification;
import dev.mover.repository.session.OpeningSession;
import dev.mover.repository.session.ReturningSession;
import dev.mover.repository.session.SessionServices;
import dev.mover.transport.frame.Commit;
import dev.mover.transport.frame.Delete;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.ListPartials;
import dev.mover.transport.frame.ListPoints;
import dev.mover.transport.frame.Open;
import dev.mover.transport.frame.ReadPoint;
import dev.mover.transport.frame.RemovePartials;
import dev.mover.transport.frame.Resume;
import dev.mover.transport.frame.Retain;
import dev.mover.transport.frame.Verify;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Decides by its first frame what a link is used for. */
final class LinkRoles {
  private final ExtentThreads threads;
  private final ServeServices serving;
  private final RemovalServices removal;
  private final KnownPartials partials;
  private final @Nullable Writer writer;
  private final String directory;

  /**
   * Roles of a repository.
   *
   * @param writer null: opened read-only
   */
  LinkRoles(
      ExtentThreads threads,
      ServeServices serving,
      RemovalServices removal,
      KnownPartials partials,
      @Nullable Writer writer) {
    this.threads = threads;
    this.serving = serving;
    this.removal = removal;
    this.partials = partials;
    this.writer = writer;
    this.directory = serving.layout().root().toString();
  }

  /**
   * Takes the first frame; {@code assume} is given the role that takes the others. The strand is
   * moved to the pool that suits the role; what may block for long, an OPEN that writes, a VERIFY
   * or removal, is taken there already.
   */
  void take(LinkContext link, Frame frame, Consumer<LinkRole> assume) {
    switch (frame) {
      case Open open -> {
        SessionServices services = writable();
        link.strand().moveTo(threads.sessions());
        OpeningSession opening = new OpeningSession(link, services, open, assume);
        assume.accept(opening);
        link.strand().execute(opening::look);
      }
      case Resume resume -> {
        SessionServices services = writable();
        link.strand().moveTo(threads.sessions());
        new ReturningSession(link, services, resume, assume).begin();
      }
      case Commit again -> {
        SessionServices services = writable();
        link.send(services.ended().answer(services, again.sessionId()));
      }
      case Verify verify -> {
        link.strand().moveTo(threads.checks());
        Verification role = new Verification(link, serving);
        assume.accept(role);
        link.strand().execute(() -> first(link, role, verify));
      }
      case Delete _, Retain _ -> {
        link.strand().moveTo(threads.removals());
        Removing role = new Removing(link, removal);
        assume.accept(role);
        link.strand().execute(() -> first(link, role, frame));
      }
      case ListPartials _ -> {
        PartialsDesk role = new PartialsDesk(link, partials);
        assume.accept(role);
        role.onFrame(frame);
      }
      case RemovePartials _ -> {
        link.strand().moveTo(threads.removals());
        PartialsDesk role = new PartialsDesk(link, partials);
        assume.accept(role);
        link.strand().execute(() -> first(link, role, frame));
      }
      case ListPoints _, ReadPoint _ -> {
        PointReading role = new PointReading(link, serving);
        assume.accept(role);
        role.onFrame(frame);
      }
      default ->
          throw LinkContext.violation(
              "a link begins with OPEN, RESUME, LIST_POINTS, READ_POINT, VERIFY, DELETE, RETAIN, LIST_PARTIALS, REMOVE_PARTIALS or COMMIT, not "
                  + frame.getClass().getSimpleName());
    }
  }

  /** The first frame of a role on the pool the strand was moved to. */
  private static void first(LinkContext link, LinkRole role, Frame frame) {
    try {
      link.checkOver();
      role.onFrame(frame);
    } catch (RuntimeException | Error e) {
      link.fail(e);
    }
  }

  private SessionServices writable() {
    Writer open = writer;
    if (open == null) {
      throw new RepositoryException(
          ErrorCode.REPOSITORY_READ_ONLY,
          directory
              + ": is open for reading only; back up through its daemon, or open it for writing");
    }
    return open.services();
  }
}
