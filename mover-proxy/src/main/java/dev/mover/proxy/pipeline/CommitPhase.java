package dev.mover.proxy.pipeline;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import dev.mover.api.error.MoverException;
import dev.mover.proxy.Cancellation;
import dev.mover.transport.frame.Ack;
import dev.mover.transport.frame.Commit;
import dev.mover.transport.frame.CommitProgress;
import dev.mover.transport.frame.Committed;
import dev.mover.transport.frame.Need;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of a session, once every block is acknowledged.
 *
 * <pre>
 * COMMIT ─▶ progress … ─┬▶ COMMITTED
 *    ▲                  └▶ NEED … last ─▶ {@link Resend} ─┐
 *    └───────────────────────────────────────────────────┘
 * </pre>
 *
 * <p>The session's own thread runs {@link #run}; frames come in with the monitor held.
 */
final class CommitPhase {
  private static final Logger log = LoggerFactory.getLogger(CommitPhase.class);

  private final Session session;
  private final SessionMonitor monitor;
  private final UUID sessionId;
  private final Cancellation cancellation;

  // Guarded by the monitor.
  private final NeedList needs;
  private @Nullable Committed committed;
  private boolean committing;
  private @Nullable Resend resend;
  private boolean resending;
  private int linksLost;

  CommitPhase(Session session, UUID sessionId, Cancellation cancellation) {
    this.session = session;
    this.monitor = session.monitor();
    this.sessionId = sessionId;
    this.cancellation = cancellation;
    this.needs = new NeedList(session.request());
  }

  /** Blocks until the point is committed. */
  Committed run() {
    while (true) {
      ask();
      while (!isAnswered()) {
        monitor.pauseUnless(this::isAnswered);
        session.progress().tellCommit(monitor);
      }
      List<Need> asked;
      Resend again;
      synchronized (monitor) {
        monitor.check();
        if (committed != null) {
          return committed;
        }
        committing = false;
        asked = needs.take();
        int before = linksLost;
        again = new Resend(session, () -> linksLost != before);
        resend = again;
      }
      if (cancellation.isCancelled()) {
        throw SessionMonitor.cancelled(null); // too late for the commit, but not for this
      }
      resend(again, asked);
    }
  }

  private void ask() {
    synchronized (monitor) {
      monitor.check();
      committing = true;
      session.link().send(new Commit(sessionId));
    }
  }

  private boolean isAnswered() {
    synchronized (monitor) {
      return monitor.failed() || committed != null || needs.complete();
    }
  }

  /** Sends again what the repository lost; a task like another, so it waits for a slot. */
  private void resend(Resend again, List<Need> asked) {
    long blocks = asked.stream().mapToLong(n -> n.blocks().size()).sum();
    log.info("the repository lost {} blocks it had linked; sending them again", blocks);
    synchronized (monitor) {
      session
          .figures()
          .warn(blocks + " blocks the repository knew were damaged there and were sent again");
    }
    monitor.await(session.slots()::tryTake);
    try {
      resending(true);
      again.send(asked);
    } finally {
      resending(false);
      session.slots().giveBack();
    }
  }

  private void resending(boolean now) {
    synchronized (monitor) {
      resending = now;
    }
  }

  /** With the monitor held: whether the repository owes an answer, or blocks are sent again. */
  boolean isBusy() {
    return committing || resending;
  }

  // ---- what the repository says; with the monitor held

  void onProgress(CommitProgress progress) {
    session.progress().committing(progress.percent(), progress.phase());
  }

  void onNeed(Need need) {
    requireCommitting("NEED");
    needs.add(need);
  }

  void onCommitted(Committed answer) {
    requireCommitting("COMMITTED");
    session.figures().target(answer.figures());
    committed = answer;
    monitor.settle();
  }

  private void requireCommitting(String frame) {
    if (!committing) {
      throw session.link().violation(frame + " before it was asked to commit");
    }
  }

  /** An ACK that is no running disk's: for a block that is sent again. */
  void onAck(Ack ack) {
    Resend again = resend;
    if (again == null) {
      throw session.link().violation("an ACK for disk " + ack.disk() + ", which is not running");
    }
    again.onAck(ack);
  }

  // ---- what may end it

  /** Somebody asks to stop. While the repository commits there is nothing left to save by it. */
  void cancel() {
    monitor.failUnless(() -> committing && session.link().isUp(), SessionMonitor.cancelled(null));
  }

  /** With the monitor held: what is being sent again is asked for again. */
  void linkLost() {
    linksLost++;
    needs.take(); // COMMIT is repeated, and so is what it is answered with
    monitor.notifyAll();
  }

  /** With the monitor held: asks again on a new link. */
  void tellAgain() {
    if (committing) {
      session.link().send(new Commit(sessionId));
    }
  }

  /** An end between COMMIT and its answer leaves open what became of the point. */
  MoverException explained(MoverException error) {
    boolean open;
    synchronized (monitor) {
      open = committing;
    }
    boolean lost = error.code() == ErrorCode.LINK_LOST || error.code() == ErrorCode.DEADLINE_PASSED;
    return open && lost ? unknownOutcome(error) : error;
  }

  private static LinkException unknownOutcome(MoverException error) {
    return new LinkException(
        error.code(),
        error.getMessage()
            + "; the repository was committing: list its points to see whether this one is there",
        error);
  }
}
