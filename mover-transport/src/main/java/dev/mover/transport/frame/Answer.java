package dev.mover.transport.frame;

import java.util.BitSet;

/**
 * Answers the {@link Offer} that began at {@code firstBlock}; offers of a disk are answered in
 * their order.
 *
 * <pre>
 * 0   u16   disk
 * 2   u64   first block
 * 10  u16   count               1 to 128
 * 12  bits  ceil(count / 8) bytes; block first + i is bit i % 8 (1 = lowest) of byte i / 8;
 *           bits beyond count are 0
 * </pre>
 *
 * @param wanted bit i set: send block {@code firstBlock + i}; clear: the repository has it
 */
public record Answer(int disk, long firstBlock, int count, BitSet wanted) implements Frame {
  static final FrameCodec<Answer> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Answer answer, FrameWriter out) {
          out.disk(answer.disk()).i64(answer.firstBlock()).count(answer.count(), 1, Offer.MAX_IDS);
          out.bits(answer.wanted(), answer.count());
        }

        @Override
        public Answer read(FrameReader in) {
          int disk = in.disk();
          long firstBlock = in.notNegative();
          int count = in.count(1, Offer.MAX_IDS);
          in.run(firstBlock, count);
          return new Answer(disk, firstBlock, count, in.bits(count));
        }
      };
}
