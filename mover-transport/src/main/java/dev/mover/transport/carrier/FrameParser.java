package dev.mover.transport.carrier;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.transport.frame.BulkHeader;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.FrameCodecs;
import dev.mover.transport.frame.FrameHeader;
import dev.mover.transport.frame.FrameType;
import dev.mover.transport.link.BulkReceiver;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a stream of bytes into frames, however it is chopped. A bulk payload is copied once,
 * straight into the buffer its receiver lends; a control frame is copied only when it arrives in
 * pieces, into memory no larger than its type allows.
 *
 * <p>Ownership: the bytes given to {@link #accept} stay the caller's. A lent buffer is the parser's
 * until {@code arrived} or {@code dropped}. Threads: one at a time. After an exception the stream
 * has no frame boundary any more: call {@link #abandon}.
 */
public final class FrameParser {
  /** What the frames are for. Any of its exceptions leaves {@link #accept} as it is. */
  public interface Sink {
    /** A header came; asked before anything is allocated or lent for it. */
    void expects(FrameType type);

    void arrived(Frame frame);

    /** Who lends buffers now. */
    BulkReceiver receiver();
  }

  /** A bulk payload on its way into a lent buffer. */
  private record Lent(BulkHeader header, BulkReceiver receiver, BlockBuffer buffer) {}

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final Sink sink;
  private final ByteBuffer prefix = ByteBuffer.allocate(BulkHeader.PREFIX_BYTES);
  private @Nullable FrameHeader header;
  private @Nullable ByteBuffer payload;
  private @Nullable Lent lent;
  private boolean abandoned;

  public FrameParser(Sink sink) {
    this.sink = sink;
    expectHeader();
  }

  /**
   * Takes all of {@code in}, unless {@link #abandon} is called meanwhile.
   *
   * @throws LinkException for bytes that are no frame
   */
  public void accept(ByteBuffer in) {
    while (!abandoned && in.hasRemaining()) {
      if (payload != null) {
        if (move(in, payload)) {
          finishPayload(payload);
        }
      } else if (move(in, prefix)) {
        prefix.flip();
        if (header == null) {
          begin(FrameHeader.read(prefix), in);
        } else {
          lend(FrameCodecs.decodeBulk(header, prefix.position(FrameHeader.BYTES)));
        }
      }
    }
  }

  /** Gives a lent buffer back; nothing is accepted any more. Idempotent. */
  public void abandon() {
    abandoned = true;
    Lent dropped = lent;
    lent = null;
    if (dropped != null) {
      dropped.receiver.dropped(dropped.buffer);
    }
  }

  private void begin(FrameHeader begun, ByteBuffer in) {
    sink.expects(begun.type());
    header = begun;
    int length = begun.payloadLength();
    if (begun.type().isBulk()) {
      if (length <= BulkHeader.BYTES) {
        throw new LinkException(
            ErrorCode.PROTOCOL_VIOLATION,
            "the peer sent a %s frame without a payload".formatted(begun.type()));
      }
      prefix.limit(BulkHeader.PREFIX_BYTES).position(FrameHeader.BYTES);
    } else if (in.remaining() >= length) {
      ByteBuffer whole = length == 0 ? NOTHING : in.slice(in.position(), length);
      in.position(in.position() + length);
      finishControl(begun.type(), whole);
    } else {
      payload = ByteBuffer.allocate(length);
    }
  }

  private void lend(BulkHeader bulk) {
    BulkReceiver receiver = sink.receiver();
    BlockBuffer buffer = receiver.lend(bulk);
    lent = new Lent(bulk, receiver, buffer);
    // A buffer too small throws here, and abandon() gives it back.
    payload = buffer.bytes(receiver.payloadOffset(), bulk.payloadLength());
  }

  private void finishPayload(ByteBuffer full) {
    Lent arrived = lent;
    FrameHeader ended = header;
    if (arrived != null) {
      lent = null;
      expectHeader();
      arrived.receiver.arrived(arrived.header, arrived.buffer);
    } else if (ended != null) {
      finishControl(ended.type(), full.flip());
    }
  }

  private void finishControl(FrameType type, ByteBuffer bytes) {
    expectHeader();
    sink.arrived(FrameCodecs.decode(type, bytes));
  }

  private void expectHeader() {
    header = null;
    payload = null;
    prefix.clear().limit(FrameHeader.BYTES);
  }

  /** Moves what fits; true when {@code to} is full. */
  private static boolean move(ByteBuffer from, ByteBuffer to) {
    int length = Math.min(from.remaining(), to.remaining());
    to.put(to.position(), from, from.position(), length);
    to.position(to.position() + length);
    from.position(from.position() + length);
    return !to.hasRemaining();
  }
}
