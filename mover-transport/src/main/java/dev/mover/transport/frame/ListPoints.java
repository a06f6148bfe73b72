package dev.mover.transport.frame;

import dev.mover.api.point.Name;

/**
 * Asks for the next restore points, by machine and sequence; answered by one {@link Points}. The
 * asker pulls batch after batch, so a repository with a million points never floods it.
 *
 * <pre>
 * 0   text  machine             at most 255 bytes; empty: all
 * ..  text  after machine       at most 255 bytes; empty: from the start
 * ..  u64   after sequence
 * </pre>
 *
 * @param machine only this one's; empty: all
 * @param afterMachine last machine of the batch before; empty: from the start
 * @param afterSequence last sequence of the batch before
 */
public record ListPoints(String machine, String afterMachine, long afterSequence) implements Frame {
  static final FrameCodec<ListPoints> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(ListPoints list, FrameWriter out) {
          out.text(list.machine(), Name.MAX_BYTES).text(list.afterMachine(), Name.MAX_BYTES);
          out.i64(list.afterSequence());
        }

        @Override
        public ListPoints read(FrameReader in) {
          return new ListPoints(in.text(Name.MAX_BYTES), in.text(Name.MAX_BYTES), in.notNegative());
        }
      };
}
