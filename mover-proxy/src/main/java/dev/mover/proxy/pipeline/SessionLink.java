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

/** A session's way to its repository, and the words for what goes wrong on it. Any thread. */
final class SessionLink implements AutoCloseable {
  private final FrameLink link;

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

  /** What the repository's file system can do, for people. */
  String repositoryMode() {
    return link.welcome().cloneMode();
  }

  void send(Frame frame) {
    link.send(frame);
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
    return new LinkException(
        ErrorCode.LINK_LOST,
        "repository " + link.peer() + " closed the link before the point was committed; run again");
  }

  @Override
  public void close() {
    link.close();
  }
}
