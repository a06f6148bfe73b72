package dev.mover.repository.slot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.Side;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferPool;
import dev.mover.testkit.Seeds;
import dev.mover.transport.frame.BulkHeader;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ReceiveMemoryTest {
  private static final long COST = BulkHeader.cost(BlockSize.KIB_256);
  private static final long SHARE = 4 * COST;

  /** A quarter is kept for first sets, the rest is three shares. */
  private final BufferPool pool = new BufferPool("test", Side.REPOSITORY, 4 * SHARE);

  private int sharers = 3;

  private ReceiveMemory memory() {
    return new ReceiveMemory(pool, BlockSize.KIB_256, () -> sharers);
  }

  @Test
  void aShareThatIsNotNeededAnyMoreGoesHomeCreditByCredit() {
    ReceiveMemory memory = memory();
    assertThat(memory.beginTask()).isEqualTo(SHARE);
    assertThat(memory.beginTask()).isEqualTo(SHARE);
    memory.endTask();
    assertThat(pool.leasedBytes()).isEqualTo(2 * SHARE);
    assertThat(memory.returnCredit(1)).isZero();
    assertThat(pool.leasedBytes()).isEqualTo(2 * SHARE);
    assertThat(memory.returnCredit(2)).isZero();
    assertThat(pool.leasedBytes()).isEqualTo(SHARE + 2 * COST);
    assertThat(memory.returnCredit(3)).isEqualTo(2 * COST);
    assertThat(pool.leasedBytes()).isEqualTo(SHARE);
    assertThat(memory.returnCredit(2)).isEqualTo(2 * COST);
    memory.close();
  }

  @Test
  void sharesShrinkWhileTasksRunWhenMoreMayRun() {
    ReceiveMemory memory = memory();
    assertThat(memory.beginTask()).isEqualTo(SHARE);
    sharers = 6;
    assertThat(memory.returnCredit(2)).isZero();
    assertThat(pool.leasedBytes()).isEqualTo(SHARE / 2);
    assertThat(memory.returnCredit(2)).isEqualTo(2 * COST);
    memory.close();
  }

  @Test
  void whatIsWithheldIsGivenAfterAllWhenItIsDueAgain() {
    ReceiveMemory memory = memory();
    memory.beginTask();
    memory.beginTask();
    memory.endTask();
    assertThat(memory.returnCredit(1)).isZero();
    assertThat(memory.beginTask()).isEqualTo(COST);
    assertThat(memory.returnCredit(1)).isEqualTo(COST);
    memory.close();
  }

  @Test
  void oneSessionCanNotHaveWhatOthersBeginWith() {
    ReceiveMemory large = memory();
    sharers = 1;
    assertThat(large.beginTask()).isEqualTo(3 * SHARE);
    assertThat(large.beginTask()).isZero();
    ReceiveMemory one = memory();
    ReceiveMemory two = memory();
    assertThat(one.beginTask()).isEqualTo(2 * COST);
    assertThat(two.beginTask()).isEqualTo(2 * COST);
    assertThat(memory().beginTask()).isEqualTo(-1);
    large.close();
    assertThat(one.returnCredit(1)).as("and the rest of its share").isGreaterThan(2 * COST);
    one.close();
    two.close();
    assertThat(pool.leasedBytes()).isZero();
  }

  @Test
  void aSessionKeepsOneSetWhateverTheShare() {
    sharers = 1000;
    ReceiveMemory memory = memory();
    assertThat(memory.beginTask()).isEqualTo(2 * COST);
    memory.endTask();
    assertThat(memory.returnCredit(2)).isEqualTo(2 * COST);
    assertThat(pool.leasedBytes()).isEqualTo(2 * COST);
    memory.close();
    assertThat(new ReceiveMemory(pool, BlockSize.MIB_4, () -> 1).canNeverFit()).isTrue();
  }

  @Test
  void creditOutsideAndBuffersInsideAlwaysAgree() {
    Seeds.check(
        100,
        random -> {
          ReceiveMemory memory = memory();
          long credit = 0;
          int tasks = 0;
          List<BlockBuffer> lent = new ArrayList<>();
          for (int step = 0; step < 300; step++) {
            switch (random.nextInt(5)) {
              case 0 -> {
                if (tasks < 3) {
                  credit += memory.beginTask();
                  tasks++;
                }
              }
              case 1 -> {
                if (tasks > 0) {
                  memory.endTask();
                  tasks--;
                }
              }
              case 2 -> {
                if (credit >= COST) {
                  credit -= COST;
                  // What was paid for is there: never null.
                  lent.add(Objects.requireNonNull(memory.tryTake()));
                }
              }
              case 3 -> sharers = 1 + random.nextInt(12);
              default -> {
                if (!lent.isEmpty()) {
                  lent.remove(random.nextInt(lent.size())).release();
                  credit += memory.returnCredit(1);
                }
              }
            }
            assertThat(tasks == 0 || credit + lent.size() > 0).isTrue();
          }
          lent.forEach(BlockBuffer::release);
          memory.close();
          assertThat(pool.leasedBytes()).isZero();
        });
  }
}
