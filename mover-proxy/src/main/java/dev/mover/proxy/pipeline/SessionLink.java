package dev.mover.proxy.pipeline;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import dev.mover.api.error.MoverException;
import dev.mover.transport.frame.Abort;
import dev.mover.transport.frame.BulkHeader;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.link.BulkReceiver;
import dev.mover.transport.link.FrameLink;
import dev.mover.transport.link.LinkConnector;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A session's way to its repository, and the words for what goes wrong on it: one link after the
 * other. While there is none, control frames are dropped: whoever sends one keeps what it must say
 * again. Any thread, but where it says otherwise.
 */
final class SessionLink implements AutoCloseable {
  private volatile FrameLink link;
  private boolean up = true;
  private volatile @Nullable MoverException goodBye;

  private SessionLink(FrameLink link) {
    this.link = link;
  }

  /** Blocks until there is a link; see {@link Connecting}. */
  static SessionLink connect(LinkConnector connector) {
    return new SessionLink(Connecting.connect(connector, BulkReceiver.NONE));
  }

  /**
   * Hands every frame to {@code frames}, on the transport's thread, and then the end to {@code
   * ended}, with why the session can't go on.
   */
  void receive(Consumer<Frame> frames, Consumer<MoverException> ended) {
    link.control()
        .subscribe(frames, error -> ended.accept(broken(error)), () -> ended.accept(closed()));
  }

  // ---- with the session's monitor held

  /** Nothing is sent on this link any more. */
  void down() {
    up = false;
  }

  /** Another link, on which nothing is sent before {@link #up}; no block may be under way. */
  void replace(FrameLink next) {
    link = next;
  }

  void up() {
    up = true;
  }

  boolean isUp() {
    return up;
  }

  /** In the order of calls, which is why the monitor is held. */
  void send(Frame frame) {
    if (up) {
      link.send(frame);
    }
  }

  // ---- any thread

  /** Whether {@code end} is that of a link the repository closed in good order. */
  boolean isClosedByPeer(MoverException end) {
    return end.equals(goodBye);
  }

  /** What the repository's file system can do, for people. */
  String repositoryMode() {
    return link.welcome().cloneMode();
  }

  /** See {@link FrameLink#sendBulk}. */
  void sendBulk(BulkHeader header, ByteBuffer payload, Runnable released) {
    link.sendBulk(header, payload, released);
  }

  /** The last that goes out: the session failed here. */
  void abort(MoverException cause) {
    link.send(new Abort(cause.getMessage()));
    link.close();
  }

  LinkException violation(String what) {
    return new LinkException(
        ErrorCode.PROTOCOL_VIOLATION, "repository " + link.peer() + " sent " + what);
  }

  private MoverException broken(Throwable error) {
    return error instanceof MoverException known
        ? known
        : new LinkException(
            ErrorCode.LINK_LOST, "the link to " + link.peer() + " broke: " + error, error);
  }

  private LinkException closed() {
    LinkException end =
        new LinkException(
            ErrorCode.LINK_LOST,
            "repository "
                + link.peer()
                + " closed the link before the point was committed; run again");
    goodBye = end;
    return end;
  }

  @Override
  public void close() {
    link.close();
  }
}
