package dev.mover.proxy.pipeline;

import static java.util.Objects.requireNonNullElse;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Retry;
import dev.mover.api.error.Side;
import dev.mover.proxy.LinkPatience;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.Open;
import dev.mover.transport.frame.Opened;
import dev.mover.transport.frame.Resume;
import dev.mover.transport.link.BulkReceiver;
import dev.mover.transport.link.FrameLink;
import dev.mover.transport.link.LinkConnector;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a session's link. When it is lost, a thread connects again and again until the repository
 * takes the session up, and has the steps repeat what the repository may not have.
 *
 * <pre>
 * up ──lost──▶ quiet? ──▶ connect ──▶ RESUME ──OPENED──▶ repeat ──▶ up
 *                ▲          └ failed ───┴─ lost ┐
 *                └────────── a moment ──────────┘      until patience ends: the session fails
 * </pre>
 *
 * <p>Quiet means that no block is being packed or sent: a block is sent on the link whose credit it
 * took, or on none. Everything else goes on while there is no link, as far as buffers reach. State
 * is guarded by the session's monitor.
 */
final class Reconnection implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Reconnection.class);

  private final Session session;
  private final SessionMonitor monitor;
  private final Open open;
  private final LinkConnector connector;
  private final LinkPatience patience;
  private final CommitPhase commit;
  private final DiskTasks tasks;
  private Consumer<Frame> frames = frame -> {};
  private @Nullable UUID fileId;
  private boolean up = true;
  private boolean running;
  private boolean attemptEnded;
  private int attempts;
  private long sinceNs;
  private long doneBytes = -1;
  private MoverException lastError =
      new LinkException(ErrorCode.LINK_LOST, "the link has not been lost");
  private CompletableFuture<Void> thread = CompletableFuture.completedFuture(null);

  Reconnection(
      Session session,
      Open open,
      LinkConnector connector,
      LinkPatience patience,
      DiskTasks tasks,
      CommitPhase commit) {
    this.session = session;
    this.monitor = session.monitor();
    this.open = open;
    this.connector = connector;
    this.patience = patience;
    this.tasks = tasks;
    this.commit = commit;
  }

  /** Opens the session on its first link. */
  void open(Consumer<Frame> onFrame) {
    frames = onFrame;
    session.link().receive(frames, this::ended);
    synchronized (monitor) {
      session.link().send(open);
    }
  }

  /** With the monitor held: whether the repository has opened the session. */
  boolean isOpened() {
    return fileId != null;
  }

  /** With the monitor held: the repository has opened the session, or taken it up again. */
  void onOpened(Opened opened) {
    if (up && fileId != null) {
      throw session.link().violation("OPENED twice");
    }
    if (fileId != null && !opened.fileId().equals(fileId)) {
      throw session.link().violation("another session's OPENED");
    }
    fileId = opened.fileId();
    session.seals().opened(opened.sequence());
    if (!up) {
      up = true;
      session.link().up();
      session.progress().linked();
      tasks.tellAgain();
      commit.tellAgain();
      log.info("{}: the session goes on", connector.address());
    }
  }

  /** A link's end, on the transport's thread. */
  private void ended(MoverException error) {
    synchronized (monitor) {
      if (isLoss(error)) {
        lost(error);
        return;
      }
    }
    monitor.fail(commit.explained(error));
  }

  /** Whether the session may still be there: nobody said that it ends. */
  private boolean isLoss(MoverException error) {
    return switch (error.code()) {
      case LINK_LOST, DEADLINE_PASSED -> !session.link().isClosedByPeer(error);
      case SHUTTING_DOWN, REPOSITORY_BUSY -> !up; // whoever else answers there may go
      default -> false;
    };
  }

  private void lost(MoverException error) {
    if (monitor.failed() || monitor.isSettled()) {
      return;
    }
    lastError = error;
    attemptEnded = true;
    if (up) {
      up = false;
      countFrom(session.figures().counters().doneBytes());
      session.link().down();
      session.admission().linkLost();
      commit.linkLost();
      log.info("{}; trying again", error.getMessage());
    }
    if (!running) {
      running = true;
      thread =
          CompletableFuture.runAsync(
              this::run, run -> Thread.ofPlatform().daemon().name("reconnect").start(run));
    }
    session.progress().linkLost(Math.max(1, attempts), sinceNs);
    monitor.notifyAll();
  }

  /** A link that was lost again before anything got on is the same loss still. */
  private void countFrom(long doneNow) {
    if (doneNow != doneBytes) {
      doneBytes = doneNow;
      attempts = 0;
      sinceNs = System.nanoTime();
    }
  }

  private void run() {
    try {
      pauseIfStuck();
      while (!tryOnce()) {
        long nextNs = System.nanoTime() + patience.retryEvery().toNanos();
        if (System.nanoTime() - sinceNs() > patience.giveUpAfter().toNanos()) {
          throw gaveUp();
        }
        monitor.pauseUntil(nextNs, this::isOver);
      }
    } catch (Throwable e) {
      monitor.fail(e);
    }
  }

  /** The first attempt is at once, but not when the last link brought nothing. */
  private void pauseIfStuck() {
    boolean stuck;
    synchronized (monitor) {
      stuck = attempts > 0;
    }
    if (stuck) {
      if (System.nanoTime() - sinceNs() > patience.giveUpAfter().toNanos()) {
        throw gaveUp();
      }
      monitor.pauseUntil(System.nanoTime() + patience.retryEvery().toNanos(), this::isOver);
    }
  }

  private long sinceNs() {
    synchronized (monitor) {
      return sinceNs;
    }
  }

  private boolean isOver() {
    return monitor.failed() || monitor.isSettled();
  }

  /** True when there is nothing left to try for. */
  private boolean tryOnce() {
    monitor.await(session.admission()::isQuiet);
    synchronized (monitor) {
      attempts++;
      attemptEnded = false;
      session.progress().linkLost(attempts, sinceNs);
    }
    FrameLink next = connect();
    if (next != null) {
      resumeOn(next);
    }
    synchronized (monitor) {
      monitor.await(() -> up || attemptEnded || monitor.isSettled());
      running = !up && !monitor.isSettled();
      return !running;
    }
  }

  private void resumeOn(FrameLink next) {
    Frame first;
    synchronized (monitor) {
      if (isOver()) {
        next.close();
        monitor.check();
        return;
      }
      session.link().replace(next);
      first = isOpened() ? new Resume(open.sessionId(), open.machine()) : open;
    }
    session.link().receive(frames, this::ended);
    next.send(first);
  }

  /** Connects and waits for it; null when it can't. */
  private @Nullable FrameLink connect() {
    CompletableFuture<@Nullable FrameLink> coming = connector.connect(BulkReceiver.NONE).toFuture();
    coming.whenComplete((link, error) -> monitor.wake()).exceptionally(error -> null);
    try {
      monitor.await(coming::isDone);
      return coming.join();
    } catch (CompletionException e) {
      failed(requireNonNullElse(e.getCause(), e));
      return null;
    } catch (MoverException e) {
      if (!coming.cancel(true)) {
        coming.handle(Reconnection::closeWhatCame).join();
      }
      throw e;
    }
  }

  private static boolean closeWhatCame(@Nullable FrameLink link, @Nullable Throwable error) {
    if (link != null) {
      link.close();
    }
    return link != null;
  }

  private void failed(Throwable cause) {
    MoverException error = SessionMonitor.known(cause);
    if (error.retry() == Retry.NEVER) {
      throw commit.explained(error);
    }
    synchronized (monitor) {
      lastError = error;
      attemptEnded = true;
    }
  }

  private MoverException gaveUp() {
    synchronized (monitor) {
      return commit.explained(
          new LinkException(
              ErrorCode.LINK_LOST,
              "the link to %s was lost and did not come back within %d s (%s); run again: what was stored durably is not sent twice"
                  .formatted(
                      connector.address(),
                      patience.giveUpAfter().toSeconds(),
                      lastError.getMessage()),
              lastError));
    }
  }

  /** Waits for the thread, which the session's end has ended; no interrupt ends it. */
  @Override
  public void close() {
    CompletableFuture<Void> last;
    synchronized (monitor) {
      last = thread;
    }
    last.join();
    MoverException why = monitor.failure();
    boolean untold;
    synchronized (monitor) {
      untold = !up;
    }
    if (untold && why != null && why.side() == Side.PROXY) {
      new Farewell(connector, open).tell(why);
    }
  }
}
