package dev.mover.proxy.restore;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LimitException;
import dev.mover.api.error.LinkException;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import dev.mover.proxy.pipeline.Connecting;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.link.BulkReceiver;
import dev.mover.transport.link.FrameLink;
import dev.mover.transport.link.LinkConnector;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * A link used as question and answer by one thread: {@link #ask} blocks until the frame it expects
 * is there. Frames that wait unread are bounded by {@link FrameLink#MAX_MAILBOX}.
 */
public final class Conversation implements AutoCloseable {
  private final FrameLink link;
  private final Queue<Frame> inbox = new ArrayDeque<>();
  private @Nullable MoverException failure;

  public Conversation(LinkConnector connector, BulkReceiver receiver) {
    link = Connecting.connect(connector, receiver);
    link.control().subscribe(this::onFrame, this::onLost, this::onEnd);
  }

  public void send(Frame frame) {
    link.send(frame);
  }

  /** Sends {@code question} and waits for its answer. */
  public <T extends Frame> T ask(Frame question, Class<T> answer) {
    send(question);
    return next(answer);
  }

  /** Waits for the next frame, which must be of this kind. */
  public synchronized <T extends Frame> T next(Class<T> expected) {
    Frame frame = inbox.poll();
    while (frame == null) {
      MoverException failed = failure;
      if (failed != null) {
        throw failed;
      }
      try {
        wait();
      } catch (InterruptedException e) {
        throw new LimitException(ErrorCode.CANCELLED, Side.PROXY, "cancelled", e);
      }
      frame = inbox.poll();
    }
    if (!expected.isInstance(frame)) {
      throw new LinkException(
          ErrorCode.PROTOCOL_VIOLATION,
          "%s answered %s where %s was expected"
              .formatted(link.peer(), frame.getClass().getSimpleName(), expected.getSimpleName()));
    }
    return expected.cast(frame);
  }

  /** Ends the conversation with a failure of this side: the waiting thread gets it. */
  public void fail(MoverException error) {
    synchronized (this) {
      if (failure == null) {
        failure = error;
      }
      notifyAll();
    }
    link.close();
  }

  private synchronized void onFrame(Frame frame) {
    if (inbox.size() == FrameLink.MAX_MAILBOX) {
      fail(
          new LinkException(
              ErrorCode.PROTOCOL_VIOLATION, link.peer() + " sends more than it was asked for"));
    } else {
      inbox.add(frame);
    }
    notifyAll();
  }

  private void onLost(Throwable error) {
    fail(
        error instanceof MoverException e
            ? e
            : new LinkException(
                ErrorCode.LINK_LOST, "the link to " + link.peer() + " broke: " + error, error));
  }

  private void onEnd() {
    fail(
        new LinkException(
            ErrorCode.LINK_LOST, link.peer() + " closed the link before it was done; try again"));
  }

  @Override
  public void close() {
    link.close();
  }
}
