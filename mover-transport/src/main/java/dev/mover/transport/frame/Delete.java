package dev.mover.transport.frame;

import dev.mover.api.point.Name;

/**
 * Asks the repository to delete points of a machine; answered by {@link Removed} frames.
 *
 * <pre>
 * 0   name  machine
 * ..  u64   sequence            0: all, and the machine with them
 * ..  u8    dry run             0 or 1
 * </pre>
 *
 * @param sequence 0: all, and the machine with them
 * @param dryRun only say what would come back
 */
public record Delete(Name machine, long sequence, boolean dryRun) implements Frame {
  static final FrameCodec<Delete> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Delete delete, FrameWriter out) {
          out.name(delete.machine()).i64(delete.sequence()).flag(delete.dryRun());
        }

        @Override
        public Delete read(FrameReader in) {
          return new Delete(in.name(), in.notNegative(), in.flag());
        }
      };
}
