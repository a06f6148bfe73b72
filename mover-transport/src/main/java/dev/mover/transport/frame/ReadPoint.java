package dev.mover.transport.frame;

import dev.mover.api.point.Name;

/**
 * Opens a restore point for reading; one at a time a link.
 *
 * <pre>
 * 0   name  machine
 * ..  u64   sequence            0: the newest
 * ..  u8    tolerant            0 or 1
 * </pre>
 *
 * @param sequence 0: the newest
 * @param tolerant where the map is damaged, say that blocks are lost, instead of failing
 */
public record ReadPoint(Name machine, long sequence, boolean tolerant) implements Frame {
  static final FrameCodec<ReadPoint> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(ReadPoint read, FrameWriter out) {
          out.name(read.machine()).i64(read.sequence()).flag(read.tolerant());
        }

        @Override
        public ReadPoint read(FrameReader in) {
          return new ReadPoint(in.name(), in.notNegative(), in.flag());
        }
      };
}
