package dev.mover.repository.removal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.testkit.Seeds;
import java.util.BitSet;
import org.junit.jupiter.api.Test;

class PhysicalRangesTest {
  private static final int DEVICE = 200;

  @Test
  void isTheSetOfItsBytes() {
    Seeds.check(
        200,
        random -> {
          PhysicalRanges ranges = new PhysicalRanges();
          BitSet model = new BitSet();
          for (int step = 0; step < 60; step++) {
            int from = random.nextInt(DEVICE);
            int end = from + random.nextInt(40);
            if (random.nextInt(3) > 0) {
              ranges.add(from, end);
              model.set(from, end);
            } else {
              ranges.remove(from, end);
              model.clear(from, end);
            }
            assertThat(ranges.bytes()).isEqualTo(model.cardinality());
            assertThat(ranges.count()).isEqualTo(runs(model));
          }
          while (ranges.count() > 0) {
            int last = model.previousClearBit(model.length() - 1) + 1;
            assertThat(ranges.removeLast()).isEqualTo(last);
            model.clear(last, DEVICE * 2);
            assertThat(ranges.bytes()).isEqualTo(model.cardinality());
          }
        });
  }

  private static int runs(BitSet bits) {
    int runs = 0;
    for (int at = bits.nextSetBit(0); at >= 0; at = bits.nextSetBit(bits.nextClearBit(at))) {
      runs++;
    }
    return runs;
  }
}
