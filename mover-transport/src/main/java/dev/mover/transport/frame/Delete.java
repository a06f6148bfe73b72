package dev.mover.transport.frame;

import dev.mover.api.point.Name;
import dev.mover.api.point.RemovalMode;

/**
 * Asks the repository to delete points of a machine; answered by {@link Removed} frames.
 *
 * <pre>
 * 0   name  machine
 * ..  u64   sequence            0: all, and the machine with them
 * ..  u8    mode                0 delete, 1 estimate, 2 exact
 * </pre>
 *
 * @param sequence 0: all, and the machine with them
 * @param mode whether to delete, or only to say what would go and come back
 */
public record Delete(Name machine, long sequence, RemovalMode mode) implements Frame {
  static final FrameCodec<Delete> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Delete delete, FrameWriter out) {
          out.name(delete.machine()).i64(delete.sequence()).removalMode(delete.mode());
        }

        @Override
        public Delete read(FrameReader in) {
          return new Delete(in.name(), in.notNegative(), in.removalMode());
        }
      };
}
