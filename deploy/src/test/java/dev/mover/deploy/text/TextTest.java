package dev.mover.deploy.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class TextTest {
  @Test
  void bytesHaveOneDecimalAndTheRightUnit() {
    assertThat(Amounts.bytes(0)).isEqualTo("0 B");
    assertThat(Amounts.bytes(999)).isEqualTo("999 B");
    assertThat(Amounts.bytes(1000)).isEqualTo("1.0 kB");
    assertThat(Amounts.bytes(999_960)).isEqualTo("1.0 MB");
    assertThat(Amounts.bytes(4_400_000_000L)).isEqualTo("4.4 GB");
    assertThat(Amounts.bytes(Long.MAX_VALUE)).isEqualTo("9.2 EB");
  }

  @Test
  void rateAndRatioOfNothingAreDashes() {
    assertThat(Amounts.rate(0, Duration.ofSeconds(1))).isEqualTo("-");
    assertThat(Amounts.rate(1, Duration.ZERO)).isEqualTo("-");
    assertThat(Amounts.rate(724_000_000, Duration.ofSeconds(2))).isEqualTo("362 MB/s");
    assertThat(Amounts.ratio(100, 0)).isEqualTo("-");
    assertThat(Amounts.ratio(240, 100)).isEqualTo("2.4 : 1");
  }

  @Test
  void timesReadAsPeopleSayThem() {
    assertThat(Amounts.time(Duration.ofMillis(412))).isEqualTo("0.4 s");
    assertThat(Amounts.time(Duration.ofSeconds(245))).isEqualTo("4 min 05 s");
  }

  @Test
  void columnsLineUp() {
    Table table = new Table("MACHINE", ">POINT");
    table.row("web", "1");
    table.row("a long name", "12345678");

    assertThat(table.lines())
        .containsExactly(
            "MACHINE         POINT", //
            "web                 1", //
            "a long name  12345678");
  }

  @Test
  void refusesARowOfAnotherWidth() {
    assertThatThrownBy(() -> new Table("A", "B").row("1"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
