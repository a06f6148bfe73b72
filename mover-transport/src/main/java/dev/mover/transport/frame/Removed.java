package dev.mover.transport.frame;

import dev.mover.api.point.Name;
import dev.mover.api.point.Removal;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link Delete} or {@link Retain} did to one machine; the last frame has no removal and
 * says what came back.
 *
 * <pre>
 * 0   u64   points so far
 * 8   u64   freed bytes         0 but in the last frame
 * 16  u8    a removal follows   0 or 1
 *     text  machine             at most 255 bytes
 *     u64   kept · u64 at least · u64 at most
 *     text  problem             empty: none
 *     u16   count of sequences  at most 4096
 *     u64   × count
 * </pre>
 *
 * @param removal null: done, nothing follows
 * @param points deleted so far; in a dry run that would be
 * @param freedBytes what the file system has more room than before, once it has settled; of a dry
 *     run what it would have when it was asked for exactly, else 0
 */
public record Removed(@Nullable Removal removal, long points, long freedBytes) implements Frame {
  static final FrameCodec<Removed> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Removed frame, FrameWriter out) {
          Removal removal = frame.removal();
          out.i64(frame.points()).i64(frame.freedBytes()).flag(removal != null);
          if (removal != null) {
            out.text(removal.machine(), Name.MAX_BYTES).i64(removal.keptCount());
            out.i64(removal.atLeastBytes()).i64(removal.atMostBytes());
            out.text(removal.problem(), MAX_TEXT);
            out.count(removal.sequences().size(), 0, Removal.MAX_POINTS);
            removal.sequences().forEach(out::i64);
          }
        }

        @Override
        public Removed read(FrameReader in) {
          long points = in.notNegative();
          long freed = in.notNegative();
          return new Removed(in.flag() ? removal(in) : null, points, freed);
        }
      };

  private static Removal removal(FrameReader in) {
    String machine = in.text(Name.MAX_BYTES);
    long kept = in.notNegative();
    long atLeast = in.notNegative();
    long atMost = in.notNegative();
    String problem = in.text(MAX_TEXT);
    return new Removal(
        machine, in.list(0, Removal.MAX_POINTS, in::notNegative), kept, atLeast, atMost, problem);
  }
}
