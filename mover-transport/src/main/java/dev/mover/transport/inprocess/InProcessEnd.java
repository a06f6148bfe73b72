package dev.mover.transport.inprocess;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import dev.mover.transport.carrier.Carrier;
import dev.mover.transport.carrier.FrameParser;
import dev.mover.transport.carrier.Greeting;
import dev.mover.transport.carrier.LinkEnd;
import dev.mover.transport.frame.BulkHeader;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.FrameCodecs;
import dev.mover.transport.inprocess.LinkWeather.Direction;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The carrier of one end. Control frames cross as bytes on the other end's lane; a bulk frame
 * crosses on its sender's thread: header as bytes, payload copied into the buffer the other end
 * lends, one sender at a time.
 */
final class InProcessEnd implements Carrier {
  private final String peer;
  private final Direction direction;
  private final LinkWeather weather;
  private final Lane lane;
  private final LinkEnd end;
  private final FrameParser control;

  /** Held while a bulk frame comes in or this end closes: nothing is lent after onClose. */
  private final Object bulkGate = new Object();

  /** Whether the link broke within a payload; guarded by the gate. */
  private boolean torn;

  private final FrameParser bulk;
  private @Nullable InProcessEnd other;
  private long framesSent;
  private boolean lost;
  private boolean cut;

  /**
   * @param peer what this end calls the other
   * @param direction of what this end sends
   */
  InProcessEnd(String peer, Direction direction, Greeting greeting, LinkWeather weather) {
    this.peer = peer;
    this.direction = direction;
    this.weather = weather;
    lane = new Lane("mover-in-process-" + direction);
    end = new LinkEnd(greeting, this);
    control = new FrameParser(end);
    bulk = new FrameParser(end);
  }

  /** Makes two ends a link; nothing was sent before. */
  static void join(InProcessEnd one, InProcessEnd two) {
    one.other = two;
    two.other = one;
  }

  /** Starts the clock of the handshake. */
  void greetWithin(long deadlineMs) {
    lane.after(deadlineMs, () -> end.overdue(deadlineMs));
  }

  /** Whoever wanted the link doesn't any more. */
  void cancel() {
    execute(end::cancelled);
  }

  @Override
  public String peer() {
    return peer;
  }

  @Override
  public boolean isInProcess() {
    return true;
  }

  @Override
  public void execute(Runnable step) {
    lane.execute(step);
  }

  @Override
  public void write(Frame frame) {
    ByteBuffer bytes = FrameCodecs.encode(frame);
    InProcessEnd to = other();
    boolean carried;
    synchronized (this) {
      long number = framesSent++;
      if (lost) {
        return;
      }
      if (weather.loses(direction, number)) {
        lost = true;
        breakDown();
        return;
      }
      carried = to.lane.carry(() -> to.arrived(bytes), weather.delayMicros(direction, number));
    }
    if (!carried) {
      to.execute(
          () ->
              to.end.broken(
                  new LinkException(
                      ErrorCode.PROTOCOL_VIOLATION,
                      "more than %d frames are under way unread".formatted(Lane.CAPACITY))));
    }
  }

  @Override
  public void writeBulk(BulkHeader header, ByteBuffer payload, Runnable released) {
    try {
      ByteBuffer prefix = ByteBuffer.allocate(BulkHeader.PREFIX_BYTES);
      FrameCodecs.encodeBulk(header, prefix);
      ByteBuffer bytes = payload.duplicate();
      boolean breaks;
      synchronized (this) {
        if (lost) {
          return;
        }
        breaks = weather.loses(direction, framesSent++);
        lost = breaks;
      }
      if (breaks) {
        bytes.limit(bytes.position() + bytes.remaining() / 2);
      }
      other().arrived(prefix.flip(), bytes, breaks);
      if (breaks) {
        breakDown();
      }
    } finally {
      released.run();
    }
  }

  @Override
  public void finish(Frame last) {
    write(last);
    cut();
  }

  @Override
  public void cut() {
    if (!cut) {
      cut = true;
      InProcessEnd to = other();
      to.lane.execute(to::gone);
      lane.execute(this::close);
    }
  }

  private void arrived(ByteBuffer bytes) {
    try {
      if (!end.ended()) {
        control.accept(bytes);
      }
    } catch (Throwable e) {
      end.broken(e);
    }
  }

  /**
   * On the sender's thread.
   *
   * @param breaks the link breaks within the payload: nothing another sender had begun to send may
   *     come after it, or it would be taken for the rest
   */
  private void arrived(ByteBuffer prefix, ByteBuffer payload, boolean breaks) {
    synchronized (bulkGate) {
      if (end.ended() || torn) {
        return;
      }
      torn = breaks;
      try {
        bulk.accept(prefix);
        bulk.accept(payload);
      } catch (Throwable e) {
        bulk.abandon();
        execute(() -> end.broken(e));
      }
    }
  }

  /** The other end closed; what it sent before has arrived. */
  private void gone() {
    end.lost(
        new LinkException(ErrorCode.LINK_LOST, "the link to " + peer + " was lost; connect again"));
  }

  private void breakDown() {
    InProcessEnd to = other();
    execute(this::gone);
    to.execute(to::gone);
  }

  private void close() {
    synchronized (bulkGate) {
      bulk.abandon();
    }
    control.abandon();
    end.closed();
    lane.stop();
  }

  private InProcessEnd other() {
    InProcessEnd joined = other;
    if (joined == null) {
      throw new IllegalStateException("the link has one end");
    }
    return joined;
  }
}
