package dev.mover.transport.carrier;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LimitException;
import dev.mover.api.error.LinkException;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import dev.mover.transport.frame.BulkHeader;
import dev.mover.transport.frame.Bye;
import dev.mover.transport.frame.ErrorFrame;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.FrameType;
import dev.mover.transport.frame.Hello;
import dev.mover.transport.frame.Ping;
import dev.mover.transport.frame.Pong;
import dev.mover.transport.frame.Welcome;
import dev.mover.transport.link.BulkReceiver;
import dev.mover.transport.link.FrameLink;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.concurrent.Queues;

/**
 * One end of a link, whatever carries it: handshake, then frames, then the end. Both transports use
 * it as it is, so they can't differ in what their users see.
 *
 * <pre>
 * GREETING ──agreed──▶ OPEN ──────────────────▶ ENDED ──carrier closed──▶ onClose
 *    └── refused, overdue, broken, lost ──────────▲
 * </pre>
 *
 * <p>Threads: the {@link FrameLink} methods are for any thread. All others belong to the
 * transport's thread of this end, one at a time; only {@link #expects} and {@link #receiver} are
 * also asked by senders in the same process. The mailbox is the only queue here and holds at most
 * {@link FrameLink#MAX_MAILBOX} small records, never bulk.
 */
public final class LinkEnd implements FrameLink, FrameParser.Sink {
  private static final Logger log = LoggerFactory.getLogger(LinkEnd.class);

  private enum Phase {
    GREETING,
    OPEN,
    ENDED
  }

  private final Greeting greeting;
  private final Carrier carrier;
  // Emitted to by the transport's thread only, so the cheap unserialized sink is the right one.
  private final Sinks.Many<Frame> mailbox =
      Sinks.unsafe()
          .many()
          .unicast()
          .onBackpressureBuffer(Queues.<Frame>get(FrameLink.MAX_MAILBOX).get());
  private final Sinks.Empty<Void> onClose = Sinks.empty();
  private final AtomicBoolean closing = new AtomicBoolean();
  private volatile Phase phase = Phase.GREETING;
  private volatile @Nullable Frame lastWord;
  private volatile Greeting.@Nullable Agreement agreement;

  public LinkEnd(Greeting greeting, Carrier carrier) {
    this.greeting = greeting;
    this.carrier = carrier;
  }

  // ---- what its user sees

  @Override
  public String peer() {
    return carrier.peer();
  }

  @Override
  public boolean isInProcess() {
    return carrier.isInProcess();
  }

  @Override
  public Welcome welcome() {
    return agreed().welcome();
  }

  @Override
  public Flux<Frame> control() {
    return mailbox.asFlux();
  }

  @Override
  public void send(Frame frame) {
    if (frame instanceof ErrorFrame last) {
      endSoon(last);
    } else if (!closing.get()) {
      carrier.write(frame);
    }
  }

  @Override
  public void sendBulk(BulkHeader header, ByteBuffer payload, Runnable released) {
    if (closing.get()) {
      released.run();
    } else {
      carrier.writeBulk(header, payload, released);
    }
  }

  @Override
  public Mono<Void> onClose() {
    return onClose.asMono();
  }

  @Override
  public void close() {
    endSoon(new Bye());
  }

  @Override
  public void abandon() {
    carrier.execute(
        () ->
            lost(
                new LinkException(
                    ErrorCode.LINK_LOST,
                    "the link to " + peer() + " was given up; connect again")));
  }

  private void endSoon(Frame last) {
    if (closing.compareAndSet(false, true)) {
      lastWord = last;
      carrier.execute(() -> endHere(last));
    }
  }

  /** Ends the link because this side can't serve it any more; any thread. The peer is told why. */
  public void close(MoverException reason) {
    carrier.execute(() -> broken(reason));
  }

  // ---- what its carrier says

  /** Whether the handshake is done and the end not yet reached. */
  public boolean open() {
    return phase == Phase.OPEN;
  }

  /** Whether bytes and frames from the peer mean nothing any more. */
  public boolean ended() {
    return phase == Phase.ENDED;
  }

  @Override
  public void expects(FrameType type) {
    if (phase == Phase.GREETING && !greeting.expects(type)) {
      throw new LinkException(ErrorCode.PROTOCOL_VIOLATION, "its first frame is a " + type);
    }
  }

  @Override
  public BulkReceiver receiver() {
    return agreed().receiver();
  }

  /** A control frame arrived. Exceptions of this end's user break the link and don't leave. */
  @Override
  public void arrived(Frame frame) {
    try {
      switch (phase) {
        case GREETING -> greeted(frame);
        case OPEN -> received(frame);
        case ENDED -> {}
      }
    } catch (Throwable e) {
      broken(e);
    }
  }

  /**
   * This end can't go on: the peer broke the protocol, or the user of this end failed. The peer
   * gets it as ERROR. When its user has ended it already, that is what is told: what arrives until
   * then meets somebody who is gone, and is not the reason.
   */
  public void broken(Throwable cause) {
    if (phase == Phase.ENDED) {
      return;
    }
    Frame last = lastWord;
    if (last != null) {
      endHere(last);
      return;
    }
    MoverException reason = reason(cause);
    fail(reason, () -> carrier.finish(frameOf(reason)));
  }

  /** The carrier is gone without a good-bye, or about to go. */
  public void lost(LinkException reason) {
    if (phase != Phase.ENDED) {
      fail(reason, carrier::cut);
    }
  }

  /** The handshake's time is over. */
  public void overdue(long deadlineMs) {
    if (phase == Phase.GREETING) {
      broken(
          new LinkException(
              ErrorCode.DEADLINE_PASSED,
              "%s did not finish the handshake within %d ms; is it a mover, and is it alive?"
                  .formatted(peer(), deadlineMs)));
    }
  }

  /** Whoever wanted this end doesn't any more; nobody is told. */
  public void cancelled() {
    if (phase != Phase.ENDED) {
      closing.set(true);
      phase = Phase.ENDED;
      carrier.cut();
    }
  }

  /** The carrier is closed: nothing arrives and nothing is released after this. */
  public void closed() {
    lost(
        phase == Phase.GREETING
            ? new LinkException(
                ErrorCode.CONNECT_FAILED,
                peer() + " closed the connection in the handshake; is a repository running there?")
            : new LinkException(
                ErrorCode.LINK_LOST, "the link to " + peer() + " was lost; connect again"));
    onClose.tryEmitEmpty();
  }

  // ---- steps

  private void greeted(Frame frame) {
    if (frame instanceof ErrorFrame error) {
      refused(error);
      return;
    }
    Greeting.Agreement made = greeting.agree(frame, peer());
    agreement = made;
    phase = Phase.OPEN;
    made.start().accept(this);
  }

  private void received(Frame frame) {
    switch (frame) {
      case Ping(long number) -> send(new Pong(number));
      case Pong _ -> {} // any byte that arrives is a sign of life
      case Bye _ -> endedByPeer();
      case ErrorFrame error -> refused(error);
      case Hello _ -> throw new LinkException(ErrorCode.PROTOCOL_VIOLATION, "a second HELLO");
      case Welcome _ -> throw new LinkException(ErrorCode.PROTOCOL_VIOLATION, "a second WELCOME");
      default -> deliver(frame);
    }
  }

  private void deliver(Frame frame) {
    switch (mailbox.tryEmitNext(frame)) {
      case OK, FAIL_CANCELLED -> {}
      case FAIL_OVERFLOW ->
          throw new LinkException(
              ErrorCode.PROTOCOL_VIOLATION,
              "%s sent more than %d frames that nobody waits for".formatted(peer(), MAX_MAILBOX));
      case FAIL_TERMINATED, FAIL_NON_SERIALIZED, FAIL_ZERO_SUBSCRIBER ->
          throw new IllegalStateException("mailbox in a wrong state");
    }
  }

  private void refused(ErrorFrame error) {
    MoverException reason =
        ErrorCode.of(error.code())
            .map(code -> MoverException.of(code, error.side(), error.message()))
            .orElseGet(
                () ->
                    new LinkException(
                        ErrorCode.PROTOCOL_VIOLATION,
                        "the peer's error " + error.code() + ": " + error.message()));
    fail(reason, carrier::cut);
  }

  /** This end's user closes. */
  private void endHere(Frame last) {
    if (phase != Phase.ENDED) {
      phase = Phase.ENDED;
      carrier.finish(last);
      tell(mailbox::tryEmitComplete);
    }
  }

  private void endedByPeer() {
    closing.set(true);
    phase = Phase.ENDED;
    carrier.cut();
    tell(mailbox::tryEmitComplete);
  }

  private void fail(MoverException reason, Runnable ending) {
    boolean greeted = phase == Phase.OPEN;
    closing.set(true);
    phase = Phase.ENDED;
    ending.run();
    tell(greeted ? () -> mailbox.tryEmitError(reason) : () -> greeting.failed(reason));
  }

  /** A user who throws while being told of the end changes nothing any more. */
  private void tell(Runnable telling) {
    try {
      telling.run();
    } catch (RuntimeException e) {
      log.warn("the user of the link to {} failed at its end", peer(), e);
    }
  }

  private MoverException reason(Throwable cause) {
    if (!(cause instanceof MoverException known)) {
      log.error("the link to {} breaks on an internal error", peer(), cause);
      return new LimitException(
          ErrorCode.INTERNAL, Side.LINK, "internal error, please report it: " + cause, cause);
    }
    boolean strange =
        known.code() == ErrorCode.PROTOCOL_VIOLATION || known.code() == ErrorCode.FRAME_TOO_LARGE;
    if (phase == Phase.GREETING && strange) {
      return new LinkException(
          ErrorCode.NOT_A_MOVER,
          peer() + " does not speak the mover's protocol; check host and port",
          known);
    }
    return known;
  }

  private static ErrorFrame frameOf(MoverException reason) {
    return new ErrorFrame(reason.code().number(), reason.side(), reason.getMessage());
  }

  private Greeting.Agreement agreed() {
    Greeting.Agreement made = agreement;
    if (made == null) {
      throw new LinkException(
          ErrorCode.PROTOCOL_VIOLATION, "the handshake with " + peer() + " is not done");
    }
    return made;
  }
}
