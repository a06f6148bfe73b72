package dev.mover.api.block;

import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * How a payload is encrypted: what its reader needs beside the data key, and what travels and is
 * cloned with it. {@link #NONE} stands for a payload that is not encrypted.
 *
 * <pre>
 * 0   u16 encoder
 * 2   6B  0
 * 8   16B key id                zeros: not encrypted, and then everything is zeros
 * 24  16B salt
 * 40  16B tag
 * </pre>
 *
 * @param encoder which packer made the payload before it was encrypted: its generation and level
 * @param key the data key's id
 * @param saltHigh with {@code saltLow} 16 random bytes of this payload alone
 * @param tagHigh with {@code tagLow} the AES-GCM tag of the payload and its associated data
 */
public record Envelope(
    int encoder, UUID key, long saltHigh, long saltLow, long tagHigh, long tagLow) {
  public static final int BYTES = 56;
  public static final int TAG_BYTES = 16;

  /** The key id that no key has. */
  public static final UUID NO_KEY = new UUID(0, 0);

  public static final Envelope NONE = new Envelope(0, NO_KEY, 0, 0, 0, 0);

  private static final int MAX_ENCODER = 0xFFFF;

  public boolean isNone() {
    return key.equals(NO_KEY);
  }

  /** Whether the fields can be: all zeros without a key, and an encoder of two bytes. */
  public boolean isPossible() {
    return encoder >= 0 && encoder <= MAX_ENCODER && (!isNone() || equals(NONE));
  }

  /** Writes {@link #BYTES} bytes at the buffer's position and moves past them. */
  public void write(ByteBuffer out) {
    out.putShort((short) encoder).putShort((short) 0).putInt(0);
    out.putLong(key.getMostSignificantBits()).putLong(key.getLeastSignificantBits());
    out.putLong(saltHigh).putLong(saltLow).putLong(tagHigh).putLong(tagLow);
  }
}
