package dev.mover.transport.frame;

import dev.mover.api.point.Name;

/**
 * Asks the repository to verify points.
 *
 * <pre>
 * 0   text  machine             at most 255 bytes; empty: all
 * ..  u64   sequence            0: all
 * ..  u8    data                0 or 1
 * </pre>
 *
 * @param machine only this one's; empty: all
 * @param sequence only this one; 0: all
 * @param data read and hash every block; otherwise only structure
 */
public record Verify(String machine, long sequence, boolean data) implements Frame {
  static final FrameCodec<Verify> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Verify verify, FrameWriter out) {
          out.text(verify.machine(), Name.MAX_BYTES).i64(verify.sequence()).flag(verify.data());
        }

        @Override
        public Verify read(FrameReader in) {
          return new Verify(in.text(Name.MAX_BYTES), in.notNegative(), in.flag());
        }
      };
}
