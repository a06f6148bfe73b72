package dev.mover.transport.frame;

import dev.mover.api.point.Name;
import dev.mover.api.point.Partial;

/**
 * Asks for the next partials, by file; answered by one {@link Partials}. The asker pulls batch
 * after batch.
 *
 * <pre>
 * 0   text  machine             at most 255 bytes; empty: all
 * ..  text  after               at most 512 bytes; empty: from the start
 * </pre>
 *
 * @param machine only this one's; empty: all
 * @param after file of the last partial of the batch before; empty: from the start
 */
public record ListPartials(String machine, String after) implements Frame {
  static final FrameCodec<ListPartials> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(ListPartials list, FrameWriter out) {
          out.text(list.machine(), Name.MAX_BYTES).text(list.after(), Partial.MAX_FILE_BYTES);
        }

        @Override
        public ListPartials read(FrameReader in) {
          return new ListPartials(in.text(Name.MAX_BYTES), in.text(Partial.MAX_FILE_BYTES));
        }
      };
}
