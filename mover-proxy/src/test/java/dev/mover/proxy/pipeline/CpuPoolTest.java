package dev.mover.proxy.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.dedup.codec.zstd.ZstdBlockCodec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class CpuPoolTest {
  private final List<String> order = Collections.synchronizedList(new ArrayList<>());

  @Test
  void takesLaterStagesFirstAndLanesInTurn() throws Exception {
    try (CpuPool pool = new CpuPool(1, ZstdBlockCodec::new)) {
      CpuPool.Lane a = pool.lane(e -> {});
      CpuPool.Lane b = pool.lane(e -> {});
      CountDownLatch loaded = new CountDownLatch(1);
      CountDownLatch done = new CountDownLatch(8);
      a.late(worker -> await(loaded)); // holds the only worker while the queues fill
      for (String name : List.of("1", "2")) {
        a.early(step("a-early-" + name, done));
        b.early(step("b-early-" + name, done));
        a.late(step("a-late-" + name, done));
        b.late(step("b-late-" + name, done));
      }
      loaded.countDown();
      done.await();
      a.close();
      b.close();
    }
    assertThat(order)
        .containsExactly(
            "b-late-1",
            "a-late-1",
            "b-late-2",
            "a-late-2",
            "b-early-1",
            "a-early-1",
            "b-early-2",
            "a-early-2");
  }

  @Test
  void oneLaneUsesEveryWorker() throws Exception {
    try (CpuPool pool = new CpuPool(3, ZstdBlockCodec::new)) {
      CpuPool.Lane lane = pool.lane(e -> {});
      CountDownLatch together = new CountDownLatch(3);
      for (int i = 0; i < 3; i++) {
        lane.early(
            worker -> {
              together.countDown();
              await(together);
            });
      }
      together.await();
      lane.close();
    }
  }

  private CpuPool.Step step(String name, CountDownLatch done) {
    return worker -> {
      order.add(name);
      done.countDown();
    };
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
