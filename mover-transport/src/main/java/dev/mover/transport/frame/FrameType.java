package dev.mover.transport.frame;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.point.Name;
import dev.mover.api.point.Partial;
import dev.mover.api.point.Removal;
import dev.mover.api.point.Verdict;
import java.util.Arrays;
import java.util.Optional;

/**
 * Every kind of frame: its number on the wire, never given to another, and the longest payload it
 * may announce. A receiver checks the length against it before it allocates.
 */
public enum FrameType {
  HELLO(0x01, 12 + text(Hello.MAX_SOFTWARE)),
  WELCOME(0x02, 26 + text(Hello.MAX_SOFTWARE) + text(Frame.MAX_TEXT)),
  ERROR(0x03, 3 + text(Frame.MAX_TEXT)),
  PING(0x04, 8),
  PONG(0x05, 8),
  BYE(0x06, 0),

  OPEN(
      0x10,
      39 + text(Name.MAX_BYTES) + Open.MAX_DISKS * (10 + text(Name.MAX_BYTES)) + Keys.KEY_BYTES),
  OPENED(0x11, 32),
  BEGIN_DISK(0x12, 2),
  QUEUED(0x13, 6 + text(Frame.MAX_TEXT)),
  GRANTED(0x14, 10),
  ZERO(0x15, 18),
  SAME(0x16, 18),
  OFFER(0x17, 12 + Offer.MAX_IDS * BlockId.BYTES),
  ANSWER(0x18, 12 + Offer.MAX_IDS / 8),
  BLOCK(0x19, BulkHeader.BYTES + BlockSize.MAX_BYTES),
  ACK(0x1a, 4 + Ack.MAX_BLOCKS * 8),
  CREDIT(0x1b, 8),
  CHECKPOINT(0x1c, 8 + TargetFigures.BYTES),
  END_DISK(0x1d, 2 + 2 * BlockId.BYTES),
  COMMIT(0x1e, 16),
  COMMIT_PROGRESS(0x1f, 1 + text(Frame.MAX_TEXT)),
  NEED(0x20, 5 + Ack.MAX_BLOCKS * 8),
  COMMITTED(0x21, 64 + TargetFigures.BYTES + lines(Frame.MAX_LINES)),
  ABORT(0x22, text(Frame.MAX_TEXT)),
  RESUME(0x23, 16 + text(Name.MAX_BYTES)),

  LIST_POINTS(0x30, 8 + 2 * text(Name.MAX_BYTES)),
  POINTS(0x31, Frame.MAX_PAYLOAD),
  READ_POINT(0x32, 9 + text(Name.MAX_BYTES)),
  POINT(0x33, RestorePointLayout.MAX_BYTES),
  READ_MAP(0x34, 10),
  MAP_PART(0x35, 12 + MapPart.MAX_RUNS * (1 + BlockId.BYTES)),
  GET(0x36, 2),
  DATA(0x37, BulkHeader.BYTES + BlockSize.MAX_BYTES),
  SENT(0x38, 18 + lines(Frame.MAX_LINES)),
  READ_KEYS(0x39, 4),
  KEYS(0x3a, 6 + Keys.MAX_KEYS * Keys.KEY_BYTES),

  VERIFY(0x40, 9 + text(Name.MAX_BYTES)),
  VERDICT(0x41, 42 + text(Name.MAX_BYTES) + text(Frame.MAX_TEXT) + lines(Verdict.MAX_FINDINGS)),
  DAMAGE(0x42, 10 + 2 * text(Name.MAX_BYTES) + Damage.MAX_BLOCKS * Damage.BLOCK_BYTES),

  DELETE(0x50, 9 + text(Name.MAX_BYTES)),
  RETAIN(0x51, 21 + text(Name.MAX_BYTES)),
  REMOVED(0x52, 43 + text(Name.MAX_BYTES) + text(Frame.MAX_TEXT) + Removal.MAX_POINTS * 8),

  LIST_PARTIALS(0x53, text(Name.MAX_BYTES) + text(Partial.MAX_FILE_BYTES)),
  REMOVE_PARTIALS(0x54, text(Name.MAX_BYTES)),
  PARTIALS(0x55, 3 + Partials.MAX_PARTIALS * Partials.PARTIAL_BYTES);

  private static final FrameType[] BY_NUMBER = new FrameType[256];

  static {
    Arrays.stream(values()).forEach(t -> BY_NUMBER[t.number] = t);
  }

  private final int number;
  private final int maxPayload;

  FrameType(int number, int maxPayload) {
    this.number = number;
    this.maxPayload = maxPayload;
  }

  public int number() {
    return number;
  }

  /** Bytes after the frame header, at most; for bulk frames the bulk header is among them. */
  public int maxPayload() {
    return maxPayload;
  }

  public boolean isBulk() {
    return this == BLOCK || this == DATA;
  }

  public static Optional<FrameType> of(int number) {
    return Optional.ofNullable(BY_NUMBER[number & 0xff]);
  }

  private static int text(int maxBytes) {
    return 2 + maxBytes;
  }

  private static int lines(int max) {
    return 2 + max * text(Frame.MAX_TEXT);
  }
}
