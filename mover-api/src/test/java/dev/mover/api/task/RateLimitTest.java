package dev.mover.api.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.mover.testkit.Background;
import dev.mover.testkit.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class RateLimitTest {
  private static final long SECOND = 1_000_000_000;

  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - SECOND);

  private record Passed(long atNs, long bytes) {}

  private RateLimit limit(long bytesPerSec) {
    return new RateLimit(bytesPerSec, now::get);
  }

  @Test
  void overAnyIntervalNoMorePassesThanRateTimesTimeAndOneBurst() {
    Seeds.check(
        200,
        random -> {
          long rate = 1 + random.nextLong(1_000_000);
          RateLimit limit = limit(rate);
          List<Passed> passed = new ArrayList<>();
          long largest = 0;
          for (int step = 0; step < 60; step++) {
            long bytes = 1 + random.nextLong(rate / 2 + 2);
            largest = Math.max(largest, bytes);
            pass(limit, bytes, passed, random);
          }
          double burst = Math.max(rate / 10.0, (double) largest);
          for (int first = 0; first < passed.size(); first++) {
            long bytes = 0;
            for (int last = first; last < passed.size(); last++) {
              bytes += passed.get(last).bytes();
              double seconds = (passed.get(last).atNs() - passed.get(first).atNs()) / 1e9;
              assertThat((double) bytes).isLessThanOrEqualTo(rate * seconds + burst + 1);
            }
          }
        });
  }

  /** Passes now, soon or exactly when told; sometimes gives a part back or is idle for long. */
  private void pass(RateLimit limit, long bytes, List<Passed> passed, RandomGenerator random) {
    long waitNs = limit.tryTake(bytes);
    while (waitNs > 0) {
      assertThat(limit.waitNs(bytes)).isEqualTo(waitNs);
      now.addAndGet(random.nextInt(3) == 0 ? 1 + random.nextLong(waitNs) : waitNs);
      waitNs = limit.tryTake(bytes);
    }
    long unused = random.nextInt(4) == 0 ? random.nextLong(bytes) : 0;
    limit.giveBack(unused);
    passed.add(new Passed(now.get(), bytes - unused));
    if (random.nextInt(8) == 0) {
      now.addAndGet(random.nextLong(SECOND));
    }
  }

  @Test
  void whoAlwaysWaitsAsToldGetsTheWholeRate() {
    RateLimit limit = limit(1_000);
    long began = now.get();
    for (int i = 0; i < 1_000; i++) {
      long waitNs;
      while ((waitNs = limit.tryTake(70)) > 0) {
        now.addAndGet(waitNs);
      }
    }
    assertThat((now.get() - began) / 1e9).isCloseTo(70, within(0.2));
  }

  @Test
  void aPieceLargerThanABurstPassesAndLeavesADebt() {
    RateLimit limit = limit(1_000);
    assertThat(limit.tryTake(5_000)).isZero();
    assertThat(limit.tryTake(1)).isEqualTo(4_901 * SECOND / 1_000);
    now.addAndGet(5 * SECOND);
    assertThat(limit.tryTake(5_000)).isZero();
  }

  @Test
  void aChangedRateHoldsAtOnceForWhoWaits() {
    RateLimit limit = limit(1_000);
    assertThat(limit.tryTake(1_100)).isZero();
    assertThat(limit.waitNs(100)).isEqualTo(1_100_000_000);
    limit.set(10_000);
    assertThat(limit.waitNs(100)).isEqualTo(110_000_000);
    limit.set(RateLimit.NONE);
    assertThat(limit.tryTake(Long.MAX_VALUE)).isZero();
    limit.set(1_000);
    assertThat(limit.tryTake(100)).isZero();
    assertThat(limit.tryTake(1)).isPositive();
    assertThat(limit.bytesPerSec()).isEqualTo(1_000);
  }

  @Test
  void whatIsGivenBackMayPassAgain() {
    RateLimit limit = limit(1_000);
    assertThat(limit.tryTake(100)).isZero();
    limit.giveBack(60);
    assertThat(limit.tryTake(60)).isZero();
    limit.giveBack(1_000_000);
    assertThat(limit.tryTake(100)).isZero();
    assertThat(limit.tryTake(1)).isPositive();
  }

  @Test
  void tellsHowLongBytesTake() {
    assertThat(limit(1_000).timeNs(500)).isEqualTo(SECOND / 2);
    assertThat(limit(RateLimit.NONE).timeNs(500)).isZero();
  }

  @Test
  void aWaitEndsWhenItIsOver() {
    RateLimit limit = new RateLimit(1);
    limit.take(1_000, () -> false);
    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<Void> waiting = Background.run(() -> limit.take(1_000, over::get));
    assertThat(waiting).isNotDone();
    over.set(true);
    waiting.join();
  }

  @Test
  void negativeRatesAreRefused() {
    assertThatThrownBy(() -> limit(-1)).isInstanceOf(IllegalArgumentException.class);
    RateLimit limit = limit(7);
    assertThatThrownBy(() -> limit.set(-1)).isInstanceOf(IllegalArgumentException.class);
    assertThat(limit.bytesPerSec()).isEqualTo(7);
  }
}
