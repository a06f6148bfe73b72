package dev.mover.transport.frame;

import dev.mover.api.block.WrappedKey;
import java.util.List;

/**
 * Wrapped keys of the open point: those of all its blocks are among the answers to {@link
 * ReadKeys}.
 *
 * <pre>
 * 0   u32   first               as asked
 * 4   u16   count               at most 1024
 * 6   key   × count: uuid | u16 length, 1 to 110 | bytes
 * </pre>
 *
 * @param keys none when {@code first} is beyond the last
 */
public record Keys(int first, List<WrappedKey> keys) implements Frame {
  public static final int MAX_KEYS = 1024;

  static final int KEY_BYTES = 16 + 2 + WrappedKey.MAX_BYTES;

  public Keys {
    keys = List.copyOf(keys);
  }

  static final FrameCodec<Keys> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Keys keys, FrameWriter out) {
          out.i32(keys.first()).count(keys.keys().size(), 0, MAX_KEYS);
          keys.keys().forEach(out::wrappedKey);
        }

        @Override
        public Keys read(FrameReader in) {
          int first = in.i32();
          in.check(first >= 0, "its first key is " + first);
          return new Keys(first, in.list(0, MAX_KEYS, in::wrappedKey));
        }
      };
}
