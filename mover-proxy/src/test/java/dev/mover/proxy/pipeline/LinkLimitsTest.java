package dev.mover.proxy.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.proxy.LinkRule;
import dev.mover.testkit.Seeds;
import java.time.Clock;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class LinkLimitsTest {
  private static final String HERE = "mover://here:7700";
  private static final String THERE = "mover://there:7700";
  private static final long MB = 1_000_000;
  private static final long SECOND = 1_000_000_000;

  private final AtomicLong nanos = new AtomicLong();
  private final AtomicReference<Instant> time =
      new AtomicReference<>(Instant.parse("2026-01-05T12:00:00Z"));
  private final List<LinkLimits> open = new ArrayList<>();

  private LinkLimits limits(LinkRule... rules) {
    InstantSource clock = time::get;
    LinkLimits limits = new LinkLimits(List.of(rules), clock.withZone(ZoneOffset.UTC), nanos::get);
    open.add(limits);
    return limits;
  }

  @AfterEach
  void close() {
    open.forEach(LinkLimits::close);
  }

  private static LinkLimits.Line line(LinkLimits limits, String address) {
    return limits.line(address, () -> {});
  }

  /** How much a line gets through now. */
  private static int passed(LinkLimits.Line line) {
    int count = 0;
    while (count < 1000 && line.tryPass(MB)) {
      count++;
    }
    return count;
  }

  private void elapse(double seconds) {
    nanos.addAndGet((long) (seconds * SECOND));
  }

  @Test
  void withoutRulesEverythingPasses() {
    assertThat(passed(line(limits(), HERE))).isEqualTo(1000);
  }

  @Test
  void linksToOneAddressShareItsRuleAndOthersAreFree() {
    LinkLimits limits = limits(LinkRule.always(HERE, 10));
    LinkLimits.Line one = line(limits, HERE);
    LinkLimits.Line two = line(limits, HERE);
    assertThat(passed(one)).isEqualTo(1);
    assertThat(passed(two)).isZero();
    assertThat(passed(line(limits, THERE))).isEqualTo(1000);
    elapse(0.1);
    assertThat(one.tryPass(MB)).isTrue();
    assertThat(two.isWaiting()).isTrue();
  }

  @Test
  void whoWaitsLongerIsNotOvertaken() {
    LinkLimits limits = limits(LinkRule.always(HERE, 10));
    LinkLimits.Line one = line(limits, HERE);
    LinkLimits.Line two = line(limits, HERE);
    LinkLimits.Line three = line(limits, HERE);
    assertThat(three.tryPass(MB)).isTrue();
    assertThat(two.tryPass(MB)).isFalse();
    assertThat(one.tryPass(MB)).isFalse();
    elapse(0.1);
    assertThat(one.tryPass(MB)).isFalse();
    assertThat(three.tryPass(MB)).isFalse();
    assertThat(two.tryPass(MB)).isTrue();
    elapse(0.1);
    assertThat(three.tryPass(MB)).isFalse();
    assertThat(one.tryPass(MB)).isTrue();
    elapse(0.1);
    assertThat(two.tryPass(MB)).as("three has waited").isFalse();
    three.close();
    assertThat(two.tryPass(MB)).isTrue();
  }

  @Test
  void aRuleForEveryAddressIsSharedByAll() {
    LinkLimits limits = limits(LinkRule.always("*", 20), LinkRule.always(HERE, 10));
    LinkLimits.Line here = line(limits, HERE);
    LinkLimits.Line there = line(limits, THERE);
    assertThat(passed(here)).isEqualTo(1);
    assertThat(passed(there)).as("one that waits for its own rule holds up nobody").isEqualTo(1);
    elapse(0.05);
    assertThat(there.tryPass(MB)).isTrue();
    elapse(0.05);
    assertThat(here.tryPass(MB)).isTrue();
    assertThat(there.tryPass(MB)).isFalse();
  }

  @Test
  void theTightestRuleOfTheHourHolds() {
    EnumSet<DayOfWeek> days = EnumSet.allOf(DayOfWeek.class);
    LinkLimits limits =
        limits(
            LinkRule.always("*", 100),
            new LinkRule("*", LocalTime.of(8, 0), LocalTime.of(18, 0), days, 10));
    LinkLimits.Line line = line(limits, HERE);
    assertThat(line.timeNs(MB)).isEqualTo(SECOND / 10);
    assertThat(passed(line)).isEqualTo(1);
    time.set(Instant.parse("2026-01-05T18:00:00Z"));
    assertThat(line.timeNs(MB)).isEqualTo(SECOND / 100);
    elapse(1);
    assertThat(passed(line)).isEqualTo(10);
    limits.set(List.of());
    assertThat(passed(line)).isEqualTo(1000);
    assertThat(line.timeNs(MB)).isZero();
  }

  @Test
  void whatWasChargedTooMuchMayPassAgain() {
    LinkLimits.Line line = line(limits(LinkRule.always(HERE, 10)), HERE);
    assertThat(line.tryPass(MB)).isTrue();
    line.giveBack(MB / 2);
    assertThat(line.tryPass(MB / 2)).isTrue();
    assertThat(line.tryPass(1)).isFalse();
  }

  /** Real time: the timer wakes who waits, also when a rule is lifted. */
  @Test
  void whoWaitsIsWoken() throws Exception {
    try (LinkLimits limits = new LinkLimits(List.of(LinkRule.always("*", 10)), Clock.systemUTC())) {
      CountDownLatch woken = new CountDownLatch(1);
      LinkLimits.Line line = limits.line(HERE, woken::countDown);
      assertThat(line.tryPass(2 * MB)).isTrue();
      assertThat(line.tryPass(MB)).isFalse();
      assertThat(woken.await(10, TimeUnit.SECONDS)).isTrue();

      CountDownLatch freed = new CountDownLatch(1);
      LinkLimits.Line other = limits.line(HERE, freed::countDown);
      line.close();
      assertThat(other.tryPass(1000 * MB)).isTrue();
      assertThat(other.tryPass(MB)).as("owes 100 s").isFalse();
      limits.set(List.of());
      assertThat(freed.await(10, TimeUnit.SECONDS)).isTrue();
      assertThat(other.tryPass(MB)).isTrue();
      assertThat(other.isWaiting()).isFalse();
    }
  }

  /** Any number of links, each always wanting more: the rate is kept and shared evenly. */
  @Test
  void whoeverAsksMostGetsNoMoreThanItsShare() {
    Seeds.check(
        50,
        random -> {
          LinkLimits limits = limits(LinkRule.always("*", 10));
          int count = 1 + random.nextInt(5);
          List<LinkLimits.Line> lines = new ArrayList<>();
          long[] got = new long[count];
          for (int i = 0; i < count; i++) {
            lines.add(line(limits, i % 2 == 0 ? HERE : THERE));
          }
          for (int step = 0; step < 2000; step++) {
            elapse(random.nextDouble() * 0.02);
            // The first asks three times as often.
            int who = Math.max(0, random.nextInt(count + 2) - 2);
            if (lines.get(who).tryPass(MB / 4)) {
              got[who]++;
            } else {
              for (int i = 0; i < count; i++) { // the timer wakes those that may go on
                got[i] += lines.get(i).tryPass(MB / 4) ? 1 : 0;
              }
            }
          }
          long total = 0;
          long most = 0;
          long least = Long.MAX_VALUE;
          for (long n : got) {
            total += n;
            most = Math.max(most, n);
            least = Math.min(least, n);
          }
          assertThat(total * MB / 4).isLessThanOrEqualTo((long) (nanos.get() / 100.0) + MB);
          assertThat(least).isGreaterThan(most / 2);
        });
  }
}
