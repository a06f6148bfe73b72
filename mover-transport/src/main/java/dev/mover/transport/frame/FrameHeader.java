package dev.mover.transport.frame;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import java.nio.ByteBuffer;

/**
 * What every frame begins with, big-endian.
 *
 * <pre>
 *  0               4       5       6               8
 *  +---------------+-------+-------+---------------+- - - -
 *  | payloadLength | type  | 0     | 0             | payload
 *  +---------------+-------+-------+---------------+- - - -
 * </pre>
 *
 * @param payloadLength bytes that follow, at most {@link FrameType#maxPayload}
 */
public record FrameHeader(FrameType type, int payloadLength) {
  public static final int BYTES = 8;

  void write(ByteBuffer out) {
    out.putInt(payloadLength).put((byte) type.number()).put((byte) 0).putShort((short) 0);
  }

  /**
   * Reads 8 bytes at the buffer's position.
   *
   * @throws LinkException PROTOCOL_VIOLATION or FRAME_TOO_LARGE
   */
  public static FrameHeader read(ByteBuffer in) {
    int length = in.getInt();
    int number = Byte.toUnsignedInt(in.get());
    int flags = Byte.toUnsignedInt(in.get());
    int reserved = Short.toUnsignedInt(in.getShort());
    FrameType type =
        FrameType.of(number)
            .orElseThrow(() -> violation("a frame of unknown type 0x%02x".formatted(number)));
    if (flags != 0 || reserved != 0) {
      throw violation("a " + type + " frame with reserved bits set");
    }
    if (length < 0 || length > type.maxPayload()) {
      throw new LinkException(
          ErrorCode.FRAME_TOO_LARGE,
          "the peer announced a %s frame of %d bytes, %d is the limit; one side is damaged or not a mover"
              .formatted(type, Integer.toUnsignedLong(length), type.maxPayload()));
    }
    return new FrameHeader(type, length);
  }

  private static LinkException violation(String what) {
    return new LinkException(
        ErrorCode.PROTOCOL_VIOLATION,
        "the peer sent " + what + "; one side is damaged or not a mover of this version");
  }
}
