package dev.mover.proxy.pipeline;

import dev.mover.transport.frame.Abort;
import dev.mover.transport.frame.Ack;
import dev.mover.transport.frame.Answer;
import dev.mover.transport.frame.BeginDisk;
import dev.mover.transport.frame.Bye;
import dev.mover.transport.frame.Checkpoint;
import dev.mover.transport.frame.Commit;
import dev.mover.transport.frame.CommitProgress;
import dev.mover.transport.frame.Committed;
import dev.mover.transport.frame.Credit;
import dev.mover.transport.frame.Damage;
import dev.mover.transport.frame.Delete;
import dev.mover.transport.frame.EndDisk;
import dev.mover.transport.frame.ErrorFrame;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.Get;
import dev.mover.transport.frame.Granted;
import dev.mover.transport.frame.Hello;
import dev.mover.transport.frame.Keys;
import dev.mover.transport.frame.ListPartials;
import dev.mover.transport.frame.ListPoints;
import dev.mover.transport.frame.MapPart;
import dev.mover.transport.frame.Need;
import dev.mover.transport.frame.Offer;
import dev.mover.transport.frame.Open;
import dev.mover.transport.frame.Opened;
import dev.mover.transport.frame.Partials;
import dev.mover.transport.frame.Ping;
import dev.mover.transport.frame.Point;
import dev.mover.transport.frame.Points;
import dev.mover.transport.frame.Pong;
import dev.mover.transport.frame.Queued;
import dev.mover.transport.frame.ReadKeys;
import dev.mover.transport.frame.ReadMap;
import dev.mover.transport.frame.ReadPoint;
import dev.mover.transport.frame.RemovePartials;
import dev.mover.transport.frame.Removed;
import dev.mover.transport.frame.Resume;
import dev.mover.transport.frame.Retain;
import dev.mover.transport.frame.Same;
import dev.mover.transport.frame.Sent;
import dev.mover.transport.frame.VerdictFrame;
import dev.mover.transport.frame.Verify;
import dev.mover.transport.frame.Welcome;
import dev.mover.transport.frame.Zero;

/**
 * Where the repository's frames come in: each is handed to the step it is for, on the transport's
 * thread, with the monitor held. A frame that fits nowhere fails the session.
 */
final class FrameIntake {
  private final Session session;
  private final SessionMonitor monitor;
  private final DiskTasks tasks;
  private final CommitPhase commit;
  private final Reconnection link;

  FrameIntake(Session session, DiskTasks tasks, CommitPhase commit, Reconnection link) {
    this.session = session;
    this.link = link;
    this.monitor = session.monitor();
    this.tasks = tasks;
    this.commit = commit;
  }

  /** Opens the session and blocks until the repository has done so too. */
  void open() {
    link.open(this::onFrame);
    while (!isOpened()) {
      monitor.pauseUnless(link::isOpened);
      session.progress().tellOpening(monitor);
    }
  }

  private boolean isOpened() {
    synchronized (monitor) {
      return link.isOpened();
    }
  }

  private void onFrame(Frame frame) {
    try {
      synchronized (monitor) {
        if (!monitor.failed()) {
          monitor.news();
          take(frame);
          session.admission().admit();
          monitor.notifyAll();
        }
      }
    } catch (Throwable e) {
      monitor.fail(e);
    }
  }

  private void take(Frame frame) {
    switch (frame) {
      case Opened o -> link.onOpened(o);
      case Queued q -> session.progress().queued(q.reason());
      case Granted g -> onGranted(g);
      case Answer a -> task(a.disk()).onAnswer(a);
      case Ack a -> onAck(a);
      case Credit c -> session.admission().grant(c.bytes());
      case Checkpoint c -> session.figures().target(c.figures());
      case CommitProgress p -> commit.onProgress(p);
      case Need n -> commit.onNeed(n);
      case Committed c -> commit.onCommitted(c);
      case Hello _,
          Welcome _,
          Open _,
          BeginDisk _,
          Zero _,
          Same _,
          Offer _,
          EndDisk _,
          Commit _,
          Abort _,
          Resume _,
          Ping _,
          Pong _,
          Bye _,
          ErrorFrame _,
          ListPoints _,
          Points _,
          ReadPoint _,
          Point _,
          ReadMap _,
          MapPart _,
          Get _,
          Sent _,
          ReadKeys _,
          Keys _,
          Verify _,
          Damage _,
          VerdictFrame _,
          Delete _,
          Retain _,
          Removed _,
          ListPartials _,
          RemovePartials _,
          Partials _ ->
          throw session
              .link()
              .violation("a frame that no backup expects: " + frame.getClass().getSimpleName());
    }
  }

  private void onGranted(Granted granted) {
    session.admission().grant(granted.creditBytes());
    session.progress().granted();
    boolean late = tasks.isDone(granted.disk()); // lent, and granted again while it ended
    if (!late && task(granted.disk()).onGranted()) {
      session.figures().granted();
    }
  }

  private void onAck(Ack ack) {
    DiskTask task = tasks.find(ack.disk());
    if (task == null) {
      commit.onAck(ack);
    } else {
      task.onAck(ack);
    }
  }

  private DiskTask task(int disk) {
    DiskTask task = tasks.find(disk);
    if (task == null) {
      throw session.link().violation("a frame about disk " + disk + ", which is not running");
    }
    return task;
  }
}
