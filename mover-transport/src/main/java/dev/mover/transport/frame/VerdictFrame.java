package dev.mover.transport.frame;

import dev.mover.api.point.Name;
import dev.mover.api.point.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * One point's verdict; the last frame of a {@link Verify} has none.
 *
 * <pre>
 * 0   u64   checked
 * 8   u64   total
 * 16  u8    a verdict follows   0 or 1
 *     text  machine             at most 255 bytes
 *     u64   sequence
 *     text  file
 *     u8    outcome             0 sound, 1 recovered, 2 damaged
 *     u64   blocks checked
 *     u64   finding count
 *     u16   count of findings   at most 20
 *     text  × count
 * </pre>
 *
 * @param verdict null: done, nothing follows
 * @param checked points checked so far
 * @param total points to check
 */
public record VerdictFrame(@Nullable Verdict verdict, long checked, long total) implements Frame {
  static final FrameCodec<VerdictFrame> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(VerdictFrame frame, FrameWriter out) {
          out.i64(frame.checked()).i64(frame.total()).flag(frame.verdict() != null);
          if (frame.verdict() != null) {
            writeVerdict(frame.verdict(), out);
          }
        }

        @Override
        public VerdictFrame read(FrameReader in) {
          long checked = in.notNegative();
          long total = in.notNegative();
          return new VerdictFrame(in.flag() ? readVerdict(in) : null, checked, total);
        }
      };

  private static void writeVerdict(Verdict verdict, FrameWriter out) {
    out.text(verdict.machine(), Name.MAX_BYTES).i64(verdict.sequence());
    out.text(verdict.file(), MAX_TEXT);
    out.u8(
        switch (verdict.outcome()) {
          case SOUND -> 0;
          case RECOVERED -> 1;
          case DAMAGED -> 2;
        });
    out.i64(verdict.blocksChecked()).i64(verdict.findingCount());
    out.lines(verdict.findings(), Verdict.MAX_FINDINGS);
  }

  private static Verdict readVerdict(FrameReader in) {
    String machine = in.text(Name.MAX_BYTES);
    long sequence = in.notNegative();
    String file = in.text(MAX_TEXT);
    Verdict.Outcome outcome =
        switch (in.u8()) {
          case 0 -> Verdict.Outcome.SOUND;
          case 1 -> Verdict.Outcome.RECOVERED;
          case 2 -> Verdict.Outcome.DAMAGED;
          default -> throw in.violation("its outcome is unknown");
        };
    long blocksChecked = in.notNegative();
    long findingCount = in.notNegative();
    return new Verdict(
        machine,
        sequence,
        file,
        outcome,
        blocksChecked,
        in.lines(Verdict.MAX_FINDINGS),
        findingCount);
  }
}
