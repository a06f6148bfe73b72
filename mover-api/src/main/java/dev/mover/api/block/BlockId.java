package dev.mover.api.block;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;

/**
 * The 32-byte name of a block's plain content: SHA-256, or HMAC-SHA-256 under the key domain when
 * encryption is on. Held as four big-endian longs, so that a million ids are a million small
 * objects and not a million arrays beside them.
 */
public record BlockId(long a, long b, long c, long d) {
  public static final int BYTES = 32;

  /** Stands for no id, no seal; no content has it. */
  public static final BlockId NONE = new BlockId(0, 0, 0, 0);

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  public static BlockId of(byte[] bytes) {
    return of(bytes, 0);
  }

  public static BlockId of(byte[] bytes, int offset) {
    return new BlockId(
        (long) LONG.get(bytes, offset),
        (long) LONG.get(bytes, offset + 8),
        (long) LONG.get(bytes, offset + 16),
        (long) LONG.get(bytes, offset + 24));
  }

  /** Reads 32 bytes at the buffer's position and moves past them; the buffer is big-endian. */
  public static BlockId read(ByteBuffer in) {
    return new BlockId(in.getLong(), in.getLong(), in.getLong(), in.getLong());
  }

  /** Writes 32 bytes at the buffer's position and moves past them; the buffer is big-endian. */
  public void write(ByteBuffer out) {
    out.putLong(a).putLong(b).putLong(c).putLong(d);
  }

  public void write(byte[] out, int offset) {
    LONG.set(out, offset, a);
    LONG.set(out, offset + 8, b);
    LONG.set(out, offset + 16, c);
    LONG.set(out, offset + 24, d);
  }

  public byte[] bytes() {
    byte[] out = new byte[BYTES];
    write(out, 0);
    return out;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(a); // already uniform
  }

  @Override
  public String toString() {
    return HexFormat.of().formatHex(bytes());
  }
}
