package dev.mover.transport.frame;

import java.util.List;
import java.util.UUID;

/**
 * The point is durable and listed.
 *
 * <pre>
 * 0   u64      sequence
 * 8   uuid     file id
 * 24  u64      file bytes
 * 32  u64      stored bytes
 * 40  u64      linked bytes
 * 48  u64      clone runs
 * 56  u64      copied bytes
 * 64  figures  {@link TargetFigures}, 32 bytes
 * 96  u16      count of warnings   at most 64
 * 98  text     × count
 * </pre>
 *
 * @param storedBytes new slots of this session, with headers and padding
 * @param linkedBytes stored bytes brought in by cloning or by reference
 * @param cloneRuns clone calls it took; 0 where the file system can't clone
 * @param copiedBytes links that had to be copied because cloning failed
 * @param figures where the session's time went; {@link TargetFigures#NONE} when COMMIT was repeated
 *     after the session had ended
 */
public record Committed(
    long sequence,
    UUID fileId,
    long fileBytes,
    long storedBytes,
    long linkedBytes,
    long cloneRuns,
    long copiedBytes,
    TargetFigures figures,
    List<String> warnings)
    implements Frame {
  public Committed {
    warnings = List.copyOf(warnings);
  }

  static final FrameCodec<Committed> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Committed committed, FrameWriter out) {
          out.i64(committed.sequence()).uuid(committed.fileId());
          out.i64(committed.fileBytes()).i64(committed.storedBytes()).i64(committed.linkedBytes());
          out.i64(committed.cloneRuns()).i64(committed.copiedBytes());
          committed.figures().write(out);
          out.lines(committed.warnings(), MAX_LINES);
        }

        @Override
        public Committed read(FrameReader in) {
          return new Committed(
              in.notNegative(),
              in.uuid(),
              in.notNegative(),
              in.notNegative(),
              in.notNegative(),
              in.notNegative(),
              in.notNegative(),
              TargetFigures.read(in),
              in.lines(MAX_LINES));
        }
      };
}
