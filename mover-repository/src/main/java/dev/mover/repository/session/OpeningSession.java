package dev.mover.repository.session;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.RepositoryException;
import dev.mover.repository.link.LinkContext;
import dev.mover.repository.link.LinkRole;
import dev.mover.transport.frame.Abort;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.Open;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.scheduler.Schedulers;

/**
 * A link whose OPEN waits for the end of the machine's session before it: a proxy that was told of
 * a failure, or was killed, comes again before that session has given back what it held. Strand
 * only.
 */
public final class OpeningSession implements LinkRole {
  /** An end that takes longer than a look: the news of a closed link may be on its way. */
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

  /** A session that is over waits for writes and a sync under way. */
  private static final Duration GIVE_UP = Duration.ofSeconds(30);

  private final LinkContext link;
  private final SessionServices services;
  private final Open open;
  private final Consumer<LinkRole> assume;
  private final Runnable left = this::onLeft;
  private final Disposable.Swap timer = Disposables.swap();
  private final long beganNs = System.nanoTime();
  private boolean over;

  /**
   * Nothing is begun yet.
   *
   * @param assume given the session once it is open
   */
  public OpeningSession(
      LinkContext link, SessionServices services, Open open, Consumer<LinkRole> assume) {
    this.link = link;
    this.services = services;
    this.open = open;
    this.assume = assume;
  }

  /** Fails with MACHINE_BUSY and others. */
  private void begin() {
    try {
      BackupSession session = new BackupSession(link, services, open);
      stop();
      assume.accept(session.begin(link));
    } catch (RepositoryException e) {
      if (e.code() != ErrorCode.MACHINE_BUSY || !yields()) {
        stop();
        throw e;
      }
    }
  }

  /** Whether the machine's session is this very one, or is worth waiting for. */
  private boolean yields() {
    Optional<BackupSession> there = services.machines().find(open.machine());
    if (there.isPresent() && there.get().isSameAs(open)) {
      stop();
      there.get().resume(link, assume); // its OPENED was lost with a link
      return true;
    }
    boolean givesWay = there.isPresent() && there.get().givesWayTo(link.peer());
    if (!mayWait(givesWay || services.machines().isEnding(open.machine()))) {
      return false;
    }
    there.ifPresent(session -> session.giveWayTo(link.peer()));
    await();
    return true;
  }

  /** Once in any case, as the news of a lost link may be on its way; then only for a reason. */
  private boolean mayWait(boolean willEnd) {
    long waitedNs = System.nanoTime() - beganNs;
    return waitedNs < LOOK_AGAIN.toNanos() || (waitedNs < GIVE_UP.toNanos() && willEnd);
  }

  private void await() {
    services.machines().waitNoMore(open.machine(), left);
    timer.update(
        Schedulers.parallel()
            .schedule(
                () -> link.strand().execute(this::look),
                LOOK_AGAIN.toMillis(),
                TimeUnit.MILLISECONDS));
    services.machines().whenLeft(open.machine(), left);
  }

  private void onLeft() {
    link.strand().execute(this::look);
  }

  /** Tries to open it, now or later; a failure is the link's. */
  public void look() {
    if (over || link.isOver()) {
      return;
    }
    try {
      begin();
    } catch (RuntimeException | Error e) {
      link.fail(e);
    }
  }

  private void stop() {
    over = true;
    timer.dispose();
    services.machines().waitNoMore(open.machine(), left);
  }

  @Override
  public void onFrame(Frame frame) {
    if (frame instanceof Abort) {
      stop();
      link.link().close();
      return;
    }
    throw LinkContext.violation(frame.getClass().getSimpleName() + " before OPENED");
  }

  @Override
  public void end() {
    stop();
  }

  @Override
  public void whenReleased(Runnable then) {
    then.run();
  }
}
