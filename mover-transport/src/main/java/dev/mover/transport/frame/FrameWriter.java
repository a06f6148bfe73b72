package dev.mover.transport.frame;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.WrappedKey;
import dev.mover.api.point.DiskSpec;
import dev.mover.api.point.Name;
import dev.mover.api.point.RemovalMode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.List;
import java.util.UUID;

/**
 * Builds one control frame in heap memory that grows as needed, header included. Numbers are
 * big-endian; a text is a u16 length and UTF-8. Bounds are checked as the reader checks them, so
 * that a mistake shows at the sender. Not thread-safe, used once.
 */
final class FrameWriter {
  /** "MOVERDP1" */
  static final long MAGIC = 0x4d4f564552445031L;

  /** Most frames are smaller. */
  private static final int FIRST_BYTES = 128;

  private ByteBuffer out = ByteBuffer.allocate(FIRST_BYTES).position(FrameHeader.BYTES);

  FrameWriter magic() {
    return i64(MAGIC);
  }

  FrameWriter u8(int value) {
    check(value >= 0 && value <= 0xff, value);
    room(1).put((byte) value);
    return this;
  }

  FrameWriter removalMode(RemovalMode mode) {
    return u8(
        switch (mode) {
          case DELETE -> 0;
          case ESTIMATE -> 1;
          case EXACT -> 2;
        });
  }

  FrameWriter flag(boolean value) {
    return u8(value ? 1 : 0);
  }

  FrameWriter u16(int value) {
    check(value >= 0 && value <= 0xffff, value);
    room(2).putShort((short) value);
    return this;
  }

  FrameWriter i32(int value) {
    room(4).putInt(value);
    return this;
  }

  FrameWriter i64(long value) {
    room(8).putLong(value);
    return this;
  }

  FrameWriter disk(int disk) {
    check(disk >= 0 && disk < Open.MAX_DISKS, disk);
    return u16(disk);
  }

  FrameWriter count(int count, int min, int max) {
    check(count >= min && count <= max, count);
    return u16(count);
  }

  FrameWriter id(BlockId id) {
    id.write(room(BlockId.BYTES));
    return this;
  }

  FrameWriter uuid(UUID id) {
    return i64(id.getMostSignificantBits()).i64(id.getLeastSignificantBits());
  }

  FrameWriter wrappedKey(WrappedKey key) {
    byte[] bytes = key.bytes();
    uuid(key.id()).u16(bytes.length);
    room(bytes.length).put(bytes);
    return this;
  }

  FrameWriter name(Name name) {
    return text(name.value(), Name.MAX_BYTES);
  }

  FrameWriter diskSpec(DiskSpec disk) {
    return name(disk.name()).i64(disk.sizeBytes()).u16(disk.sectorSize());
  }

  /** A text for people; longer than {@code maxBytes}, it is cut between two characters. */
  FrameWriter text(String text, int maxBytes) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(bytes.length, maxBytes);
    while (length < bytes.length && (bytes[length] & 0xc0) == 0x80) {
      length--;
    }
    u16(length);
    room(length).put(bytes, 0, length);
    return this;
  }

  FrameWriter lines(List<String> lines, int max) {
    int count = Math.min(lines.size(), max);
    u16(count);
    for (int i = 0; i < count; i++) {
      boolean cut = i == count - 1 && lines.size() > count;
      text(cut ? "and %d more".formatted(lines.size() - i) : lines.get(i), Frame.MAX_TEXT);
    }
    return this;
  }

  FrameWriter bits(BitSet bits, int count) {
    check(bits.length() <= count, bits.length());
    byte[] bytes = new byte[Math.ceilDiv(count, 8)];
    byte[] set = bits.toByteArray();
    System.arraycopy(set, 0, bytes, 0, set.length);
    room(bytes.length).put(bytes);
    return this;
  }

  /** The whole frame, ready to be read. */
  ByteBuffer finish(FrameType type) {
    out.flip();
    int length = out.limit() - FrameHeader.BYTES;
    check(length <= type.maxPayload(), length);
    new FrameHeader(type, length).write(out);
    return out.position(0);
  }

  private ByteBuffer room(int bytes) {
    if (out.remaining() < bytes) {
      int needed = Math.max(out.capacity() * 2, out.position() + bytes);
      out = ByteBuffer.allocate(needed).put(out.flip());
    }
    return out;
  }

  private static void check(boolean holds, long value) {
    if (!holds) {
      throw new IllegalArgumentException("beyond what the frame can carry: " + value);
    }
  }
}
