package dev.mover.dedup.index.rocks;

import dev.mover.dedup.index.BlockPlace;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * A place as the index keeps it, big-endian:
 *
 * <pre>
 * 0   file id          16 bytes
 * 16  slot, 4 KiB      40 bits    (files of up to 4 PiB)
 * 21  stored length    24 bits    (a 4 MiB block with its header fits four times)
 * 24  key              16 bits    only when the slot is encrypted
 * </pre>
 */
final class PlaceCodec {
  static final int BYTES = 24;

  private static final int SLOT_ALIGNMENT = 4096;
  private static final int LENGTH_BITS = 24;
  private static final int LENGTH_MASK = (1 << LENGTH_BITS) - 1;
  private static final int MAX_KEY = 0xFFFF;
  private static final long MAX_SLOT = (1L << 40) - 1;

  private PlaceCodec() {}

  static byte[] encode(BlockPlace place) {
    long slot = place.offset() / SLOT_ALIGNMENT;
    int length = place.storedLength();
    if (place.offset() % SLOT_ALIGNMENT != 0 || slot < 0 || slot > MAX_SLOT) {
      throw new IllegalArgumentException("no slot begins there: " + place);
    }
    if (length < 0 || length > LENGTH_MASK) {
      throw new IllegalArgumentException("no slot is that long: " + place);
    }
    if (place.key() < 0 || place.key() > MAX_KEY) {
      throw new IllegalArgumentException("no key has that number: " + place);
    }
    ByteBuffer out = ByteBuffer.allocate(place.key() == 0 ? BYTES : BYTES + Short.BYTES);
    out.putLong(place.fileId().getMostSignificantBits())
        .putLong(place.fileId().getLeastSignificantBits())
        .putLong(slot << LENGTH_BITS | length);
    if (place.key() != 0) {
      out.putShort((short) place.key());
    }
    return out.array();
  }

  static BlockPlace decode(byte[] value) {
    ByteBuffer in = ByteBuffer.wrap(value);
    UUID fileId = new UUID(in.getLong(), in.getLong());
    long place = in.getLong();
    int key = in.hasRemaining() ? Short.toUnsignedInt(in.getShort()) : 0;
    return new BlockPlace(
        fileId, (place >>> LENGTH_BITS) * SLOT_ALIGNMENT, (int) place & LENGTH_MASK, key);
  }
}
