package dev.mover.proxy.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.dedup.codec.BlockCodec;
import dev.mover.dedup.codec.Compression;
import dev.mover.dedup.codec.zstd.ZstdBlockCodec;
import java.nio.ByteBuffer;
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

  @Test
  void tellsALaneWhatItsStepThrewAndGoesOn() throws Exception {
    List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
    try (CpuPool pool = new CpuPool(1, ZstdBlockCodec::new)) {
      CpuPool.Lane bad = pool.lane(failures::add);
      CpuPool.Lane worse =
          pool.lane(
              e -> {
                throw new IllegalStateException("can't take it", e);
              });
      CpuPool.Lane good = pool.lane(e -> {});
      CountDownLatch done = new CountDownLatch(1);
      bad.late(
          worker -> {
            throw new StackOverflowError("deep");
          });
      worse.late(
          worker -> {
            throw new IllegalStateException("broken");
          });
      good.early(step("good", done));
      done.await();
      bad.close();
      worse.close();
      good.close();
    }
    assertThat(failures).singleElement().isInstanceOf(StackOverflowError.class);
    assertThat(order).containsExactly("good");
  }

  @Test
  void doesNotStartWithoutItsCodecs() {
    List<BlockCodec> open = new ArrayList<>();
    assertThatThrownBy(
            () ->
                new CpuPool(
                    3,
                    () -> {
                      if (open.size() == 2) {
                        throw new UnsatisfiedLinkError("no zstd here");
                      }
                      BlockCodec codec = new ZstdBlockCodec();
                      open.add(codec);
                      return codec;
                    }))
        .hasMessage("no zstd here");
    ByteBuffer block = ByteBuffer.allocateDirect(64);
    assertThat(open)
        .hasSize(2)
        .allSatisfy(
            codec ->
                assertThatThrownBy(() -> codec.pack(block, block.duplicate(), Compression.OPTIMAL))
                    .as("closed")
                    .isInstanceOf(IllegalStateException.class));
  }

  @Test
  void outlivesAnInterrupt() throws Exception {
    try (CpuPool pool = new CpuPool(1, ZstdBlockCodec::new)) {
      CpuPool.Lane lane = pool.lane(e -> {});
      CountDownLatch interrupted = new CountDownLatch(1);
      lane.late(
          worker -> {
            Thread.currentThread().interrupt();
            interrupted.countDown();
          });
      interrupted.await();
      CountDownLatch done = new CountDownLatch(1);
      lane.late(step("after", done));
      done.await();
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
