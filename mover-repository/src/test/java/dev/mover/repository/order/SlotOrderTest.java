package dev.mover.repository.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.block.BlockId;
import dev.mover.api.error.Side;
import dev.mover.api.memory.BufferPool;
import dev.mover.repository.extent.LinuxExtentFiles;
import dev.mover.testkit.Seeds;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SlotOrderTest {
  private final BufferPool pool = new BufferPool("test", Side.REPOSITORY, 1 << 20);
  @TempDir Path temp;

  @Test
  void sortsAnyNumberAsAListWould() {
    Seeds.check(
        40,
        random -> {
          int chunk = 1 + random.nextInt(300);
          int count = random.nextInt(4) == 0 ? chunk * random.nextInt(3) : random.nextInt(3000);
          List<SlotUse> model = new ArrayList<>();
          try (SlotOrder order =
              new SlotOrder(new LinuxExtentFiles(false), temp.resolve("sort"), pool, chunk)) {
            for (int i = 0; i < count; i++) {
              SlotUse use =
                  new SlotUse(
                      random.nextInt(3) * 30_000,
                      random.nextLong(50) << 40,
                      random.nextInt(1 << 22),
                      random.nextInt(2) * 255,
                      random.nextLong(1L << 45),
                      new BlockId(random.nextLong(), 0, 0, i),
                      random.nextInt(1 << 16));
              model.add(use);
              order.add(use);
            }
            model.sort(SlotUse.ORDER);
            assertThat(order.count()).isEqualTo(count);
            List<SlotUse> sorted = new ArrayList<>();
            for (SlotUse use = order.next(); use != null; use = order.next()) {
              sorted.add(use);
            }
            assertThat(sorted).isEqualTo(model);
            assertThat(order.next()).isNull();
            try (Stream<Path> left = Files.list(temp)) {
              assertThat(left).as("scratch keeps no name").isEmpty();
            }
          }
          assertThat(pool.leasedBytes()).isZero();
        });
  }
}
