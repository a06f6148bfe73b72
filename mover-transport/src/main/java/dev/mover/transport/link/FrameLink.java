package dev.mover.transport.link;

import dev.mover.transport.frame.BulkHeader;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.Welcome;
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
   * Whether the other side runs in this process, where whoever reads this side's log is told by
   * that side what went wrong.
   */
  default boolean isInProcess() {
    return false;
  }

  /** What the repository said of itself in the handshake; the same on both ends. */
  Welcome welcome();

  /**
   * Control frames in arrival order, exactly one subscriber. Completes when either side closed the
   * link in good order; fails with {@link dev.mover.api.error.LinkException} when the link broke or
   * the peer broke the protocol, and with the peer's own error when it sent an {@code ERROR} frame.
   * Frames that arrived before the end are delivered before it. Frames arrive on the transport's
   * thread (those that came before {@code subscribe}: on the subscriber's): hand them on, don't
   * block. At most {@link #MAX_MAILBOX} wait unread; a peer that sends more breaks the protocol.
   * After cancel, frames are dropped and the link stays open.
   */
  Flux<Frame> control();

  int MAX_MAILBOX = 4096;

  /**
   * Sends a control frame; dropped in silence when the link is already closed (control() says so).
   * An {@link dev.mover.transport.frame.ErrorFrame} is the last frame: the link closes after it.
   *
   * @throws IllegalArgumentException when a field is beyond what the frame can carry
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

  /**
   * Sends what is queued and BYE, then closes. Payloads that are still arriving are dropped.
   * Idempotent, doesn't block, for any thread.
   */
  @Override
  void close();

  /**
   * Closes at once and tells nobody, for a peer that is believed gone: the link ends as a lost one
   * does, also here. Idempotent, doesn't block, for any thread.
   */
  void abandon();
}
