package dev.mover.transport.frame;

import dev.mover.api.point.Name;

/**
 * Asks the repository to remove partials of a machine; answered by one {@link Partials} with those
 * that are gone.
 *
 * <pre>
 * 0   name  machine
 * </pre>
 */
public record RemovePartials(Name machine) implements Frame {
  static final FrameCodec<RemovePartials> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(RemovePartials remove, FrameWriter out) {
          out.name(remove.machine());
        }

        @Override
        public RemovePartials read(FrameReader in) {
          return new RemovePartials(in.name());
        }
      };
}
