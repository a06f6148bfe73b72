package dev.mover.proxy.pipeline;

import static java.util.Objects.requireNonNull;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LimitException;
import dev.mover.api.error.Side;
import dev.mover.transport.link.BulkReceiver;
import dev.mover.transport.link.FrameLink;
import dev.mover.transport.link.LinkConnector;
import reactor.core.Exceptions;

/** Where a run leaves Reactor for its caller's thread. */
public final class Connecting {
  private Connecting() {}

  /**
   * Connects and waits for it, no longer than the connector's own deadline.
   *
   * @throws dev.mover.api.error.MoverException as the connector says; CANCELLED when the caller is
   *     interrupted, its link is closed then
   */
  public static FrameLink connect(LinkConnector connector, BulkReceiver receiver) {
    try {
      return requireNonNull(connector.connect(receiver).block());
    } catch (RuntimeException e) {
      if (Exceptions.unwrap(e) instanceof InterruptedException) {
        throw new LimitException(
            ErrorCode.CANCELLED, Side.PROXY, "cancelled while connecting to the repository", e);
      }
      throw e;
    }
  }
}
