package dev.mover.transport.frame;

import dev.mover.api.point.Name;
import dev.mover.api.point.RemovalMode;
import dev.mover.api.point.Retention;

/**
 * Asks the repository to delete the points that a retention doesn't keep; answered by {@link
 * Removed} frames.
 *
 * <pre>
 * 0   text  machine             at most 255 bytes; empty: all
 * ..  u32   last · daily · weekly · monthly · yearly   each at most 1,000,000, not all 0
 * ..  u8    mode                0 delete, 1 estimate, 2 exact
 * </pre>
 *
 * @param machine only this one's; empty: all
 * @param mode whether to delete, or only to say what would go and come back
 */
public record Retain(String machine, Retention keep, RemovalMode mode) implements Frame {
  static final FrameCodec<Retain> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Retain retain, FrameWriter out) {
          Retention keep = retain.keep();
          out.text(retain.machine(), Name.MAX_BYTES).i32(keep.last()).i32(keep.daily());
          out.i32(keep.weekly()).i32(keep.monthly()).i32(keep.yearly()).removalMode(retain.mode());
        }

        @Override
        public Retain read(FrameReader in) {
          return new Retain(
              in.text(Name.MAX_BYTES),
              new Retention(in.i32(), in.i32(), in.i32(), in.i32(), in.i32()),
              in.removalMode());
        }
      };
}
