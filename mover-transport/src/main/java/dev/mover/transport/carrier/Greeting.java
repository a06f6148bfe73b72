package dev.mover.transport.carrier;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import dev.mover.api.error.MoverException;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.FrameType;
import dev.mover.transport.frame.Hello;
import dev.mover.transport.frame.Welcome;
import dev.mover.transport.link.BulkReceiver;
import dev.mover.transport.link.FrameLink;
import dev.mover.transport.link.LinkServer;
import java.util.function.Consumer;
import reactor.core.publisher.MonoSink;

/**
 * One side's part in the handshake. {@code HELLO →}, {@code ← WELCOME} or {@code ← ERROR}; nothing
 * else may be sent before. All on the transport's thread.
 */
public sealed interface Greeting {
  /** Named in WELCOME and HELLO, for logs. */
  String SOFTWARE = "mover";

  /** Whether a frame of this type may come first. */
  boolean expects(FrameType type);

  /**
   * The peer's first frame.
   *
   * @throws MoverException when there is no understanding
   */
  Agreement agree(Frame first, String peer);

  /** There will be no link. */
  void failed(MoverException reason);

  /**
   * What both sides know from now on.
   *
   * @param start gives the open link to its user; called once
   */
  record Agreement(Welcome welcome, BulkReceiver receiver, Consumer<FrameLink> start) {}

  /** The proxy's side. */
  record OfClient(VersionRange versions, BulkReceiver receiver, MonoSink<FrameLink> sink)
      implements Greeting {

    public Hello hello() {
      return new Hello(versions.lowest(), versions.highest(), SOFTWARE);
    }

    @Override
    public boolean expects(FrameType type) {
      return type == FrameType.WELCOME || type == FrameType.ERROR;
    }

    @Override
    public Agreement agree(Frame first, String peer) {
      Welcome welcome = (Welcome) first;
      if (!versions.contains(welcome.version())) {
        throw new LinkException(
            ErrorCode.VERSION_UNSUPPORTED,
            "the repository answers in protocol version %d, this proxy speaks %s; update the older of the two"
                .formatted(welcome.version(), versions));
      }
      return new Agreement(welcome, receiver, sink::success);
    }

    @Override
    public void failed(MoverException reason) {
      sink.error(reason);
    }
  }

  /** The repository's side. */
  record OfServer(VersionRange versions, LinkServer server) implements Greeting {

    @Override
    public boolean expects(FrameType type) {
      return type == FrameType.HELLO;
    }

    @Override
    public Agreement agree(Frame first, String peer) {
      Hello hello = (Hello) first;
      VersionRange theirs = new VersionRange(hello.lowestVersion(), hello.highestVersion());
      if (!versions.overlaps(theirs)) {
        throw new LinkException(
            ErrorCode.VERSION_UNSUPPORTED,
            "the proxy speaks protocol %s, this repository %s; update the older of the two"
                .formatted(theirs, versions));
      }
      LinkServer.Identity identity = server.identity();
      Welcome welcome =
          new Welcome(
              Math.min(versions.highest(), theirs.highest()),
              SOFTWARE,
              identity.repositoryId(),
              identity.cloneMode());
      LinkServer.Session session = server.accept(peer);
      return new Agreement(
          welcome,
          session.receiver(),
          link -> {
            link.send(welcome);
            session.start(link);
          });
    }

    @Override
    public void failed(MoverException reason) {
      // The client was told; there is nobody else to tell.
    }
  }
}
