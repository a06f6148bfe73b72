package dev.mover.repository.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.point.DiskSpec;
import dev.mover.api.point.Name;
import dev.mover.api.point.RestorePoint;
import dev.mover.api.point.Retention;
import dev.mover.testkit.Seeds;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RetentionPolicyTest {
  private static final Instant MONDAY = Instant.parse("2025-03-03T02:00:00Z");
  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration YEAR = Duration.ofDays(365);

  private final List<RestorePoint> points = new ArrayList<>();

  @Test
  void keepsTheLastByNumber() {
    addDaily(MONDAY, 10);
    assertThat(kept(new Retention(3, 0, 0, 0, 0))).containsExactly(8L, 9L, 10L);
    assertThat(kept(new Retention(50, 0, 0, 0, 0))).hasSize(10);
  }

  @Test
  void keepsTheNewestOfEveryDayThatHasOne() {
    for (int day : new int[] {0, 1, 4, 9}) {
      add(MONDAY.plus(DAY.multipliedBy(day)));
      add(MONDAY.plus(DAY.multipliedBy(day)).plus(Duration.ofHours(5)));
    }
    assertThat(kept(new Retention(0, 3, 0, 0, 0))).containsExactly(4L, 6L, 8L);
  }

  @Test
  void keepsSundaysLastDaysOfMonthsAndOfYears() {
    addDaily(MONDAY, 800); // to 2027-05-11, a Tuesday
    assertThat(kept(new Retention(0, 0, 3, 0, 0))).containsExactly(791L, 798L, 800L);
    assertThat(days(new Retention(0, 0, 0, 3, 0)))
        .containsExactly("2027-03-31", "2027-04-30", "2027-05-11");
    assertThat(days(new Retention(0, 0, 0, 0, 3)))
        .containsExactly("2025-12-31", "2026-12-31", "2027-05-11");
    assertThat(kept(new Retention(2, 2, 3, 3, 3))).hasSize(2 + 2 + 2 + 2);
  }

  @Test
  void daysBeginWhereTheRepositoryIs() {
    add(Instant.parse("2025-03-03T22:30:00Z"));
    add(Instant.parse("2025-03-03T23:30:00Z")); // the next day in Berlin
    Retention one = new Retention(0, 1, 0, 0, 0);
    assertThat(new RetentionPolicy(one, ZoneOffset.UTC).surplus(points)).hasSize(1);
    assertThat(new RetentionPolicy(one, ZoneId.of("Europe/Berlin")).surplus(points)).hasSize(1);
    Retention two = new Retention(0, 2, 0, 0, 0);
    assertThat(new RetentionPolicy(two, ZoneOffset.UTC).surplus(points)).hasSize(1);
    assertThat(new RetentionPolicy(two, ZoneId.of("Europe/Berlin")).surplus(points)).isEmpty();
  }

  @Test
  void aPointThatCanNotBeReadIsNeitherCountedNorGivenUp() {
    addDaily(MONDAY, 4);
    points.add(RestorePoint.unreadable(new Name("web"), 5, UUID.randomUUID(), 1));
    assertThat(kept(new Retention(2, 0, 0, 0, 0))).containsExactly(3L, 4L, 5L);
  }

  @Test
  void aMachineThatWasAwayForTwoWeeksIsCountedAsAnyOther() {
    addDaily(MONDAY, 10);
    addDaily(MONDAY.plus(DAY.multipliedBy(24)), 2);
    assertThat(kept(new Retention(0, 4, 0, 0, 0))).containsExactly(9L, 10L, 11L, 12L);
  }

  @Test
  void aYearForwardMakesNoYearOfItself() {
    addDaily(MONDAY.minus(DAY.multipliedBy(100)), 100); // 2024 and 2025
    addDaily(MONDAY.plus(YEAR), 5); // said to be 2026
    assertThat(days(new Retention(0, 0, 0, 0, 2))).contains("2024-12-31");
    addDaily(MONDAY.plus(DAY.multipliedBy(5)), 5); // and put right again
    assertThat(days(new Retention(0, 0, 0, 0, 2))).contains("2024-12-31");
    assertThat(kept(new Retention(0, 15, 0, 0, 0))).hasSizeGreaterThanOrEqualTo(15);
  }

  @Test
  void aDayBackMergesNoTwoDays() {
    addDaily(MONDAY, 5);
    addDaily(MONDAY.plus(DAY.multipliedBy(4)).plusSeconds(40), 3); // days 6 to 8, put a day back
    assertThat(kept(new Retention(0, 8, 0, 0, 0))).hasSize(8);
    addDaily(MONDAY.plus(DAY.multipliedBy(4)).minusSeconds(40), 3); // and again
    assertThat(kept(new Retention(0, 11, 0, 0, 0))).hasSize(11);
  }

  /** As many points, and to a day as far back, as with a clock that was right all the time. */
  @Test
  void aWrongClockNeverKeepsLessThanARightOne() {
    Seeds.check(
        300,
        random -> {
          points.clear();
          int count = random.nextInt(40, 500);
          List<Instant> right = new ArrayList<>();
          for (int i = 0; i < count; i++) {
            right.add(
                MONDAY.plus(DAY.multipliedBy(i)).plus(Duration.ofSeconds(random.nextInt(1800))));
          }
          Retention keep = retention(random);
          right.forEach(this::add);
          TreeSet<Long> wanted = new TreeSet<>(kept(keep));
          points.clear();
          int from = random.nextInt(2, count - 4);
          int to = random.nextInt(from + 1, count - 1);
          Duration error = random.nextBoolean() ? DAY.negated() : YEAR;
          for (int i = 0; i < count; i++) {
            add(i >= from && i < to ? right.get(i).plus(error) : right.get(i));
          }
          TreeSet<Long> kept = new TreeSet<>(kept(keep));
          assertThat(kept).hasSizeGreaterThanOrEqualTo(wanted.size());
          assertThat(kept.first()).isLessThanOrEqualTo(wanted.first() + 1);
          assertThat(kept).contains(points.getLast().sequence());
          assertThat(kept.size()).isLessThanOrEqualTo(wanted.size() + 16); // and not all of them
        });
  }

  private static Retention retention(RandomGenerator random) {
    int n = random.nextInt(1, 20);
    return switch (random.nextInt(5)) {
      case 0 -> new Retention(n, 0, 0, 0, 0);
      case 1 -> new Retention(0, n, 0, 0, 0);
      case 2 -> new Retention(0, 0, n, 0, 0);
      case 3 -> new Retention(0, 0, 0, n, 0);
      default -> new Retention(0, 0, 0, 0, n);
    };
  }

  private void addDaily(Instant first, int count) {
    for (int i = 0; i < count; i++) {
      add(first.plus(DAY.multipliedBy(i)));
    }
  }

  private void add(Instant createdAt) {
    RestorePoint.Disk disk =
        new RestorePoint.Disk(new DiskSpec(new Name("d"), 512, 512), new BlockId(1, 2, 3, 4));
    points.add(
        new RestorePoint(
            new Name("web"),
            points.size() + 1,
            UUID.randomUUID(),
            UUID.randomUUID(),
            createdAt,
            BlockSize.MIB_1,
            List.of(disk),
            1,
            1));
  }

  private List<Long> kept(Retention keep) {
    List<Long> gone =
        new RetentionPolicy(keep, ZoneOffset.UTC)
            .surplus(points).stream().map(RestorePoint::sequence).toList();
    return LongStream.rangeClosed(1, points.size()).boxed().filter(s -> !gone.contains(s)).toList();
  }

  private List<String> days(Retention keep) {
    return kept(keep).stream()
        .map(s -> points.get((int) (s - 1)).createdAt().toString().substring(0, 10))
        .toList();
  }
}
