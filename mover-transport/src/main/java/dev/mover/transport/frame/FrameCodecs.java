package dev.mover.transport.frame;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.api.error.LinkException;
import java.nio.ByteBuffer;

/** The registry of codecs: from frames to bytes and back. Pure functions, for any thread. */
public final class FrameCodecs {
  private FrameCodecs() {}

  /**
   * The frame with its header, in new heap memory.
   *
   * @throws IllegalArgumentException when a field is beyond its bound: a mistake of the sender
   */
  public static ByteBuffer encode(Frame frame) {
    return switch (frame) {
      case Hello f -> encode(FrameType.HELLO, Hello.CODEC, f);
      case Welcome f -> encode(FrameType.WELCOME, Welcome.CODEC, f);
      case ErrorFrame f -> encode(FrameType.ERROR, ErrorFrame.CODEC, f);
      case Ping f -> encode(FrameType.PING, Ping.CODEC, f);
      case Pong f -> encode(FrameType.PONG, Pong.CODEC, f);
      case Bye f -> encode(FrameType.BYE, Bye.CODEC, f);
      case Open f -> encode(FrameType.OPEN, Open.CODEC, f);
      case Opened f -> encode(FrameType.OPENED, Opened.CODEC, f);
      case BeginDisk f -> encode(FrameType.BEGIN_DISK, BeginDisk.CODEC, f);
      case Queued f -> encode(FrameType.QUEUED, Queued.CODEC, f);
      case Granted f -> encode(FrameType.GRANTED, Granted.CODEC, f);
      case Zero f -> encode(FrameType.ZERO, Zero.CODEC, f);
      case Same f -> encode(FrameType.SAME, Same.CODEC, f);
      case Offer f -> encode(FrameType.OFFER, Offer.CODEC, f);
      case Answer f -> encode(FrameType.ANSWER, Answer.CODEC, f);
      case Ack f -> encode(FrameType.ACK, Ack.CODEC, f);
      case Credit f -> encode(FrameType.CREDIT, Credit.CODEC, f);
      case Checkpoint f -> encode(FrameType.CHECKPOINT, Checkpoint.CODEC, f);
      case EndDisk f -> encode(FrameType.END_DISK, EndDisk.CODEC, f);
      case Commit f -> encode(FrameType.COMMIT, Commit.CODEC, f);
      case CommitProgress f -> encode(FrameType.COMMIT_PROGRESS, CommitProgress.CODEC, f);
      case Need f -> encode(FrameType.NEED, Need.CODEC, f);
      case Committed f -> encode(FrameType.COMMITTED, Committed.CODEC, f);
      case Abort f -> encode(FrameType.ABORT, Abort.CODEC, f);
      case Resume f -> encode(FrameType.RESUME, Resume.CODEC, f);
      case ListPoints f -> encode(FrameType.LIST_POINTS, ListPoints.CODEC, f);
      case Points f -> encode(FrameType.POINTS, Points.CODEC, f);
      case ReadPoint f -> encode(FrameType.READ_POINT, ReadPoint.CODEC, f);
      case Point f -> encode(FrameType.POINT, Point.CODEC, f);
      case ReadMap f -> encode(FrameType.READ_MAP, ReadMap.CODEC, f);
      case MapPart f -> encode(FrameType.MAP_PART, MapPart.CODEC, f);
      case Get f -> encode(FrameType.GET, Get.CODEC, f);
      case Sent f -> encode(FrameType.SENT, Sent.CODEC, f);
      case ReadKeys f -> encode(FrameType.READ_KEYS, ReadKeys.CODEC, f);
      case Keys f -> encode(FrameType.KEYS, Keys.CODEC, f);
      case Verify f -> encode(FrameType.VERIFY, Verify.CODEC, f);
      case Damage f -> encode(FrameType.DAMAGE, Damage.CODEC, f);
      case VerdictFrame f -> encode(FrameType.VERDICT, VerdictFrame.CODEC, f);
      case Delete f -> encode(FrameType.DELETE, Delete.CODEC, f);
      case Retain f -> encode(FrameType.RETAIN, Retain.CODEC, f);
      case Removed f -> encode(FrameType.REMOVED, Removed.CODEC, f);
      case ListPartials f -> encode(FrameType.LIST_PARTIALS, ListPartials.CODEC, f);
      case RemovePartials f -> encode(FrameType.REMOVE_PARTIALS, RemovePartials.CODEC, f);
      case Partials f -> encode(FrameType.PARTIALS, Partials.CODEC, f);
    };
  }

  /**
   * Decodes a control frame's whole payload, which is not kept.
   *
   * @param payload exactly the payload, big-endian, any kind of buffer
   * @throws LinkException PROTOCOL_VIOLATION, or NOT_A_MOVER for a greeting without the magic
   */
  public static Frame decode(FrameType type, ByteBuffer payload) {
    FrameReader in = new FrameReader(type, payload);
    try {
      Frame frame = codec(type).read(in);
      in.end();
      return frame;
    } catch (InputException e) {
      // A name or size the language itself refuses.
      throw new LinkException(
          ErrorCode.PROTOCOL_VIOLATION,
          "the peer sent a bad " + type + " frame: " + e.getMessage(),
          e);
    }
  }

  /** Writes frame header and bulk header, {@link BulkHeader#PREFIX_BYTES} in all. */
  public static void encodeBulk(BulkHeader header, ByteBuffer out) {
    FrameType type =
        switch (header.kind()) {
          case BLOCK -> FrameType.BLOCK;
          case DATA -> FrameType.DATA;
        };
    new FrameHeader(type, BulkHeader.BYTES + header.payloadLength()).write(out);
    header.write(out);
  }

  /**
   * Reads the bulk header that follows {@code header}.
   *
   * @throws LinkException PROTOCOL_VIOLATION
   */
  public static BulkHeader decodeBulk(FrameHeader header, ByteBuffer in) {
    return BulkHeader.read(header, in);
  }

  private static <F extends Frame> ByteBuffer encode(FrameType type, FrameCodec<F> codec, F frame) {
    FrameWriter out = new FrameWriter();
    codec.write(frame, out);
    return out.finish(type);
  }

  private static FrameCodec<?> codec(FrameType type) {
    return switch (type) {
      case HELLO -> Hello.CODEC;
      case WELCOME -> Welcome.CODEC;
      case ERROR -> ErrorFrame.CODEC;
      case PING -> Ping.CODEC;
      case PONG -> Pong.CODEC;
      case BYE -> Bye.CODEC;
      case OPEN -> Open.CODEC;
      case OPENED -> Opened.CODEC;
      case BEGIN_DISK -> BeginDisk.CODEC;
      case QUEUED -> Queued.CODEC;
      case GRANTED -> Granted.CODEC;
      case ZERO -> Zero.CODEC;
      case SAME -> Same.CODEC;
      case OFFER -> Offer.CODEC;
      case ANSWER -> Answer.CODEC;
      case ACK -> Ack.CODEC;
      case CREDIT -> Credit.CODEC;
      case CHECKPOINT -> Checkpoint.CODEC;
      case END_DISK -> EndDisk.CODEC;
      case COMMIT -> Commit.CODEC;
      case COMMIT_PROGRESS -> CommitProgress.CODEC;
      case NEED -> Need.CODEC;
      case COMMITTED -> Committed.CODEC;
      case ABORT -> Abort.CODEC;
      case RESUME -> Resume.CODEC;
      case LIST_POINTS -> ListPoints.CODEC;
      case POINTS -> Points.CODEC;
      case READ_POINT -> ReadPoint.CODEC;
      case POINT -> Point.CODEC;
      case READ_MAP -> ReadMap.CODEC;
      case MAP_PART -> MapPart.CODEC;
      case GET -> Get.CODEC;
      case SENT -> Sent.CODEC;
      case READ_KEYS -> ReadKeys.CODEC;
      case KEYS -> Keys.CODEC;
      case VERIFY -> Verify.CODEC;
      case DAMAGE -> Damage.CODEC;
      case VERDICT -> VerdictFrame.CODEC;
      case DELETE -> Delete.CODEC;
      case RETAIN -> Retain.CODEC;
      case REMOVED -> Removed.CODEC;
      case LIST_PARTIALS -> ListPartials.CODEC;
      case REMOVE_PARTIALS -> RemovePartials.CODEC;
      case PARTIALS -> Partials.CODEC;
      case BLOCK, DATA -> throw new IllegalArgumentException(type + " is a bulk frame");
    };
  }
}
