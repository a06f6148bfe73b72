package dev.mover.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.error.InputException;
import java.time.DayOfWeek;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LinkRuleTest {
  /** 2026-01-05 is a Monday. */
  @ParameterizedTest
  @CsvSource({
    "08:00, 18:00, 2026-01-05T07:59:59, false",
    "08:00, 18:00, 2026-01-05T08:00, true",
    "08:00, 18:00, 2026-01-05T17:59:59, true",
    "08:00, 18:00, 2026-01-05T18:00, false",
    "08:00, 18:00, 2026-01-06T09:00, false",
    "22:00, 06:00, 2026-01-05T21:59, false",
    "22:00, 06:00, 2026-01-05T22:00, true",
    "22:00, 06:00, 2026-01-06T05:59, true",
    "22:00, 06:00, 2026-01-06T06:00, false",
    "22:00, 06:00, 2026-01-05T05:00, false",
    "22:00, 06:00, 2026-01-06T23:00, false",
    "00:00, 00:00, 2026-01-05T00:00, true",
    "00:00, 00:00, 2026-01-05T23:59, true",
    "00:00, 00:00, 2026-01-06T00:00, false",
  })
  void holdsFromItsFirstMinuteToItsLastOnDaysItBegins(
      LocalTime from, LocalTime to, LocalDateTime now, boolean holds) {
    LinkRule rule = new LinkRule("*", from, to, Set.of(DayOfWeek.MONDAY), 5);
    assertThat(rule.holdsAt(now)).isEqualTo(holds);
  }

  @Test
  void addressesAreComparedAsTheyAreMeant() {
    assertThat(LinkRule.always("mover://backup", 1))
        .isEqualTo(LinkRule.always("mover://backup:7700/", 1));
    assertThat(LinkRule.always("*", 3).bytesPerSec()).isEqualTo(3_000_000);
    assertThatThrownBy(() -> LinkRule.always("*", 0)).isInstanceOf(InputException.class);
    assertThatThrownBy(() -> LinkRule.always("mover://a:0", 1)).isInstanceOf(InputException.class);
  }
}
