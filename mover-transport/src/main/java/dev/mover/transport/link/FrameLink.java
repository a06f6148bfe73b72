package dev.mover.transport.link;

import dev.mover.transport.frame.BulkHeader;
import dev.mover.transport.frame.Frame;
import java.nio.ByteBuffer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One side's end of a connection between two movers, after the handshake ({@code HELLO}/{@code
 * WELCOME} are done, PING/PONG are the link's own business).
 *
 * <p>Threads: {@code send} and {@code sendBulk} may be called from any thread, never block, and
 * keep the order of one thread's calls. What they may have in flight is bounded by the protocol:
 * bulk by credit, control by the number of unanswered offers.
 */
public interface FrameLink extends AutoCloseable {
  /** Address of the other side, for messages. */
  String peer();

  /**
   * Control frames in arrival order, exactly one subscriber. Completes when the peer closed the
   * link in good order; fails with {@link dev.mover.api.error.LinkException} when the link broke or
   * the peer broke the protocol, and with the peer's own error when it sent an {@code ERROR} frame.
   * Frames arrive on the transport's thread: hand them on, don't block. At most {@link
   * #MAX_MAILBOX} wait unread; a peer that sends more breaks the protocol.
   */
  Flux<Frame> control();

  int MAX_MAILBOX = 4096;

  /**
   * Sends a control frame; dropped in silence when the link is already closed (control() says so).
   */
  void send(Frame frame);

  /**
   * Sends a bulk frame whose credit the caller has already taken. {@code payload}'s remaining bytes
   * are borrowed until {@code released} runs, which it does exactly once, on any thread: when they
   * are in the socket (or copied), or when the link is gone.
   */
  void sendBulk(BulkHeader header, ByteBuffer payload, Runnable released);

  /** Runs when the link is closed, whoever closed it; never fails. */
  Mono<Void> onClose();

  /** Sends what is queued, then closes. Idempotent, doesn't block. */
  @Override
  void close();
}
