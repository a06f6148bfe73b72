package dev.mover.transport.frame;

import java.util.List;

/**
 * Everything {@link Get} asked for was sent.
 *
 * <pre>
 * 0   u16   disk
 * 2   u64   blocks
 * 10  u64   unreadable
 * 18  u16   count of findings   at most 64
 * 20  text  × count
 * </pre>
 *
 * @param unreadable data blocks that could not be read (each was named by an error in the list)
 */
public record Sent(int disk, long blocks, long unreadable, List<String> findings) implements Frame {
  public Sent {
    findings = List.copyOf(findings);
  }

  static final FrameCodec<Sent> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Sent sent, FrameWriter out) {
          out.disk(sent.disk()).i64(sent.blocks()).i64(sent.unreadable());
          out.lines(sent.findings(), MAX_LINES);
        }

        @Override
        public Sent read(FrameReader in) {
          return new Sent(in.disk(), in.notNegative(), in.notNegative(), in.lines(MAX_LINES));
        }
      };
}
