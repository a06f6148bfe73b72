package dev.mover.proxy.restore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.block.BlockId;
import dev.mover.testkit.Seeds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class IdFileTest {
  @Test
  void givesEveryIdOnceWhateverTheOrder() {
    Seeds.check(
        40,
        random -> {
          Map<Long, BlockId> model = new TreeMap<>();
          long block = 0;
          int count = random.nextInt(6000);
          for (int i = 0; i < count; i++) {
            block += random.nextInt(20) == 0 ? 1 + random.nextLong(1L << 30) : 1;
            model.put(block, new BlockId(random.nextLong(), i, 0, 1));
          }
          try (IdFile ids = IdFile.create()) {
            model.forEach(ids::expect);
            ids.flush();
            List<Long> blocks = new ArrayList<>(model.keySet());
            Collections.shuffle(blocks, new Random(random.nextLong()));
            for (long asked : blocks) {
              if (!model.containsKey(asked + 1)) {
                assertThat(ids.strike(asked + 1)).isEmpty();
              }
              assertThat(ids.strike(asked)).contains(model.get(asked));
              assertThat(ids.strike(asked)).as("a second time").isEmpty();
            }
          }
        });
  }

  @Test
  void saysWhichBlocksDidNotCome() {
    Seeds.check(
        40,
        random -> {
          List<Long> left = new ArrayList<>();
          List<Long> struck = new ArrayList<>();
          long block = 0;
          try (IdFile ids = IdFile.create()) {
            for (int i = random.nextInt(6000); i > 0; i--) {
              block += random.nextInt(20) == 0 ? 1 + random.nextLong(1L << 30) : 1;
              ids.expect(block, new BlockId(random.nextLong(), i, 0, 1));
              (random.nextInt(3) == 0 ? left : struck).add(block);
            }
            ids.flush();
            for (long came : struck) {
              BlockId id = ids.strike(came).orElseThrow();
              if (random.nextInt(10) == 0) {
                ids.restore(came, id);
                left.add(came);
              }
            }
            Collections.sort(left);
            List<Long> said = new ArrayList<>();
            ids.eachLeft(block + 1, said::add);
            assertThat(said).isEqualTo(left);
          }
        });
  }

  @Test
  void expectsNothingOfAnEmptyDisk() {
    try (IdFile ids = IdFile.create()) {
      ids.flush();
      assertThat(ids.strike(0)).isEmpty();
      assertThat(ids.strike(1L << 43)).isEmpty();
    }
  }
}
