package dev.mover.repository.file;

import dev.mover.api.block.Envelope;
import dev.mover.api.block.WrappedKey;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * The wrapped keys of a file's blocks, numbered from 1; 0 stands for blocks that are not encrypted.
 * A file brings the keys of all its blocks, wherever these came from. One thread's.
 *
 * <p>A record, 128 bytes, big-endian, {@value #PER_PAGE} a page:
 *
 * <pre>
 * 0   16B key id
 * 16  u16 length, 1 to 110
 * 18  the wrapped key, then zeros
 * </pre>
 */
public final class KeyTable {
  static final int BYTES = 128;
  static final int PER_PAGE = Page.ROOM / BYTES;

  /**
   * Sessions whose blocks a point may have: one a day for 44 years. A block of one more is stored
   * again. Bounds what a session or a reader holds of keys to about 4 MB.
   */
  public static final int MAX_KEYS = 16 << 10;

  private final List<WrappedKey> keys = new ArrayList<>();
  private final Map<UUID, Integer> numbers = new HashMap<>();

  /** The key's number; nothing when there is no room for one more. */
  public Optional<Integer> numberOf(WrappedKey key) {
    Integer known = numbers.get(key.id());
    if (known == null) {
      if (keys.size() == MAX_KEYS) {
        return Optional.empty();
      }
      keys.add(key);
      known = keys.size();
      numbers.put(key.id(), known);
    }
    return Optional.of(known);
  }

  /** All of them: number 1 first. */
  public List<WrappedKey> keys() {
    return List.copyOf(keys);
  }

  static void write(WrappedKey key, ByteBuffer out) {
    ByteBuffer b = out.slice(out.position(), BYTES);
    byte[] bytes = key.bytes();
    b.put(new byte[BYTES]).position(0);
    Footer.putUuid(b, key.id());
    b.putShort((short) bytes.length).put(bytes);
    out.position(out.position() + BYTES);
  }

  /** Nothing where no key can be so. */
  static Optional<WrappedKey> read(ByteBuffer in) {
    ByteBuffer b = in.slice(in.position(), BYTES);
    in.position(in.position() + BYTES);
    UUID id = Footer.uuid(b);
    int length = b.getShort();
    if (id.equals(Envelope.NO_KEY) || length < 1 || length > WrappedKey.MAX_BYTES) {
      return Optional.empty();
    }
    byte[] bytes = new byte[length];
    b.get(bytes);
    return Optional.of(new WrappedKey(id, bytes));
  }
}
