package dev.mover.transport.frame;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.block.Envelope;
import dev.mover.api.block.WrappedKey;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import dev.mover.api.point.DiskSpec;
import dev.mover.api.point.Name;
import dev.mover.api.point.RemovalMode;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Takes one control frame's payload apart. The payload's length is bounded already; here every
 * inner count and length is, before anything is allocated for it. What doesn't fit is a {@link
 * LinkException}. Not thread-safe, used once; copies what it returns.
 */
final class FrameReader {
  private final FrameType type;
  private final ByteBuffer in;

  FrameReader(FrameType type, ByteBuffer in) {
    this.type = type;
    this.in = in;
  }

  void magic() {
    if (in.remaining() < 8 || in.getLong() != FrameWriter.MAGIC) {
      throw new LinkException(
          ErrorCode.NOT_A_MOVER,
          "the other side does not speak the mover's protocol; check host and port");
    }
  }

  int u8() {
    return Byte.toUnsignedInt(need(1).get());
  }

  boolean flag() {
    int value = u8();
    check(value <= 1, "a flag is " + value);
    return value == 1;
  }

  RemovalMode removalMode() {
    int value = u8();
    return switch (value) {
      case 0 -> RemovalMode.DELETE;
      case 1 -> RemovalMode.ESTIMATE;
      case 2 -> RemovalMode.EXACT;
      default -> throw violation("a removal's mode is " + value);
    };
  }

  int u16() {
    return Short.toUnsignedInt(need(2).getShort());
  }

  int i32() {
    return need(4).getInt();
  }

  long i64() {
    return need(8).getLong();
  }

  long notNegative() {
    long value = i64();
    check(value >= 0, "a number is beyond 2^63");
    return value;
  }

  int disk() {
    int disk = u16();
    check(disk < Open.MAX_DISKS, "it names disk " + disk);
    return disk;
  }

  int count(int min, int max) {
    int count = u16();
    check(count >= min && count <= max, "it announces " + count + " items");
    return count;
  }

  /** A u16 count and that many items; an item takes a byte at least, so memory follows bytes. */
  <T> List<T> list(int min, int max, Supplier<T> item) {
    int count = count(min, max);
    check(count <= in.remaining(), "it is too short for " + count + " items");
    List<T> items = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      items.add(item.get());
    }
    return items;
  }

  /** Checks that {@code count} blocks from {@code first} exist on some disk. */
  void run(long first, long count) {
    check(count >= 1 && first <= Long.MAX_VALUE - count, "its blocks run beyond any disk");
  }

  BlockId id() {
    return BlockId.read(need(BlockId.BYTES));
  }

  UUID uuid() {
    return new UUID(i64(), i64());
  }

  WrappedKey wrappedKey() {
    UUID id = uuid();
    int length = u16();
    check(
        !id.equals(Envelope.NO_KEY) && length >= 1 && length <= WrappedKey.MAX_BYTES,
        "a wrapped key has " + length + " bytes");
    byte[] bytes = new byte[length];
    need(length).get(bytes);
    return new WrappedKey(id, bytes);
  }

  BlockSize blockSize() {
    int bytes = i32();
    return BlockSize.ofBytes(bytes).orElseThrow(() -> violation("its block size is " + bytes));
  }

  Name name() {
    String text = text(Name.MAX_BYTES);
    Name name = new Name(text);
    check(name.value().equals(text), "a name is not in Unicode NFC");
    return name;
  }

  DiskSpec diskSpec() {
    return new DiskSpec(name(), i64(), u16());
  }

  String text(int maxBytes) {
    int length = u16();
    check(length <= maxBytes, "a text has " + length + " bytes");
    ByteBuffer bytes = need(length).slice(in.position(), length);
    in.position(in.position() + length);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
    } catch (CharacterCodingException e) {
      throw violation("a text is not UTF-8");
    }
  }

  List<String> lines(int max) {
    return list(0, max, () -> text(Frame.MAX_TEXT));
  }

  BitSet bits(int count) {
    byte[] bytes = new byte[Math.ceilDiv(count, 8)];
    need(bytes.length).get(bytes);
    BitSet bits = BitSet.valueOf(bytes);
    check(bits.length() <= count, "a bit beyond its blocks is set");
    return bits;
  }

  /** Refuses bytes that no field took. */
  void end() {
    check(!in.hasRemaining(), "it is " + in.remaining() + " bytes too long");
  }

  void check(boolean holds, String what) {
    if (!holds) {
      throw violation(what);
    }
  }

  LinkException violation(String what) {
    return new LinkException(
        ErrorCode.PROTOCOL_VIOLATION,
        "the peer sent a bad %s frame: %s; one side is damaged or not a mover of this version"
            .formatted(type, what));
  }

  private ByteBuffer need(int bytes) {
    if (in.remaining() < bytes) {
      throw violation("it is cut short");
    }
    return in;
  }
}
