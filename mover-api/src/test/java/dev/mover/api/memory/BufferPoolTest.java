package dev.mover.api.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LimitException;
import dev.mover.api.error.Side;
import dev.mover.testkit.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BufferPoolTest {
  private static final int PAGE = BufferPool.ALIGNMENT;

  @Test
  void lendsAlignedMemoryOfWholePages() {
    BufferPool pool = pool(1 << 20);
    try (BufferSet set = pool.lease(5000, 3, () -> {})) {
      for (int i = 0; i < 3; i++) {
        BlockBuffer buffer = take(set);
        assertThat(buffer.capacity()).isEqualTo(2 * PAGE);
        assertThat(buffer.segment().address() % PAGE).isZero();
        assertThat(buffer.bytes().remaining()).isEqualTo(2 * PAGE);
        assertThat(buffer.bytes(100, 8).isDirect()).isTrue();
        buffer.release();
      }
    }
  }

  @Test
  void neverWaitsForABuffer() {
    AtomicInteger returned = new AtomicInteger();
    try (BufferSet set = pool(1 << 20).lease(PAGE, 1, returned::incrementAndGet)) {
      BlockBuffer only = take(set);
      assertThat(set.tryTake()).isNull();
      assertThat(set.lent()).isEqualTo(1);
      only.release();
      assertThat(returned).hasValue(1);
      assertThat(take(set)).isSameAs(only);
      only.release();
    }
  }

  @Test
  void catchesASecondRelease() {
    try (BufferSet set = pool(1 << 20).lease(PAGE, 2, () -> {})) {
      BlockBuffer buffer = take(set);
      buffer.release();
      assertThatThrownBy(buffer::release).hasMessageContaining("released twice");
      assertThat(set.lent()).isZero();
    }
  }

  @Test
  void refusesALeaseBeyondTheBudgetAndLeasesNothing() {
    BufferPool pool = pool(4 * PAGE);
    try (BufferSet three = pool.lease(PAGE, 3, () -> {})) {
      assertThat(three.count()).isEqualTo(3);
      assertThatThrownBy(() -> pool.lease(PAGE, 2, () -> {}))
          .isInstanceOfSatisfying(
              LimitException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.OUT_OF_MEMORY_BUDGET))
          .hasMessageContaining("fewer task slots");
      assertThat(pool.leasedBytes()).isEqualTo(3L * PAGE);
    }
    assertThatCode(() -> pool.lease(PAGE, 4, () -> {}).close()).doesNotThrowAnyException();
  }

  @Test
  void keepsMemoryForTheNextLeaseOfItsSize() {
    BufferPool pool = pool(1 << 20);
    BufferSet first = pool.lease(PAGE, 1, () -> {});
    BlockBuffer buffer = take(first);
    long address = buffer.segment().address();
    buffer.release();
    first.close();
    try (BufferSet second = pool.lease(PAGE, 1, () -> {})) {
      BlockBuffer again = take(second);
      assertThat(again.segment().address()).isEqualTo(address);
      again.release();
    }
  }

  @Test
  void freesMemoryAtOnceWhenAnotherSizeNeedsTheRoom() {
    BufferPool pool = pool(4 * PAGE);
    BufferSet small = pool.lease(PAGE, 4, () -> {});
    BlockBuffer buffer = take(small);
    buffer.release();
    small.close();
    assertThat(buffer.segment().scope().isAlive()).isTrue();
    pool.lease(4 * PAGE, 1, () -> {}).close();
    assertThat(buffer.segment().scope().isAlive()).isFalse();
  }

  @Test
  void freesEverythingOnceItIsClosedAndNothingIsLent() {
    BufferPool pool = pool(4 * PAGE);
    BufferSet set = pool.lease(PAGE, 2, () -> {});
    BlockBuffer lent = take(set);
    set.close();
    pool.close();
    assertThat(lent.segment().scope().isAlive()).isTrue();
    lent.release();
    assertThat(lent.segment().scope().isAlive()).isFalse();
    assertThat(pool.leasedBytes()).isZero();
  }

  @Test
  void givesBackOnlyWhenTheLastLentBufferIsReleased() {
    BufferPool pool = pool(2 * PAGE);
    AtomicInteger returned = new AtomicInteger();
    BufferSet set = pool.lease(PAGE, 2, returned::incrementAndGet);
    BlockBuffer one = take(set);
    BlockBuffer two = take(set);
    set.close();
    set.close();
    one.release();
    assertThat(set.tryTake()).isNull();
    assertThat(pool.leasedBytes()).isEqualTo(2L * PAGE);
    two.release();
    assertThat(pool.leasedBytes()).isZero();
    assertThatThrownBy(two::release).hasMessageContaining("released twice");
    assertThat(pool.leasedBytes()).isZero();
  }

  @Test
  void neverLeasesMoreThanItsBudgetWhateverTheOrder() {
    Seeds.check(
        50,
        random -> {
          BufferPool pool = pool(64L * PAGE);
          List<BufferSet> open = new ArrayList<>();
          long expected = 0;
          for (int i = 0; i < 100; i++) {
            if (random.nextBoolean() || open.isEmpty()) {
              int pages = random.nextInt(1, 5);
              int count = random.nextInt(0, 20);
              long bytes = (long) pages * count * PAGE;
              if (expected + bytes > 64L * PAGE) {
                assertThatThrownBy(() -> pool.lease(pages * PAGE, count, () -> {}))
                    .isInstanceOf(LimitException.class);
              } else {
                open.add(pool.lease(pages * PAGE, count, () -> {}));
                expected += bytes;
              }
            } else {
              BufferSet set = open.remove(random.nextInt(open.size()));
              set.close();
              expected -= (long) set.bufferBytes() * set.count();
            }
            assertThat(pool.leasedBytes()).isEqualTo(expected);
          }
        });
  }

  @Test
  void staysWholeWhenManyThreadsTakeAndRelease() throws InterruptedException {
    BufferPool pool = pool(8 * PAGE);
    AtomicInteger returned = new AtomicInteger();
    AtomicInteger taken = new AtomicInteger();
    BufferSet set = pool.lease(PAGE, 8, returned::incrementAndGet);
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int i = 0; i < 20_000; i++) {
                      BlockBuffer buffer = set.tryTake();
                      if (buffer != null) {
                        taken.incrementAndGet();
                        buffer.release();
                      }
                    }
                  }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(set.lent()).isZero();
    assertThat(returned.get()).isEqualTo(taken.get()).isPositive();
    set.close();
    assertThat(pool.leasedBytes()).isZero();
  }

  private static BufferPool pool(long budgetBytes) {
    return new BufferPool("test buffers", Side.PROXY, budgetBytes);
  }

  private static BlockBuffer take(BufferSet set) {
    return Objects.requireNonNull(set.tryTake());
  }
}
