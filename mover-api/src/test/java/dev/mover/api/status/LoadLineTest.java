package dev.mover.api.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.mover.api.status.StageClock.State;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LoadLineTest {
  private static final long S = 1_000_000_000L;

  @Test
  void namesTheBottleneckAndWhatBindsNext() {
    LoadLine line =
        LoadLine.of(
            Map.of(
                Stage.SOURCE, new StageFigures(12 * S, 0, 88 * S, 1),
                Stage.PROXY, new StageFigures(97 * S, 3 * S, 0, 1),
                Stage.NETWORK, new StageFigures(3 * S, 97 * S, 0, 1),
                Stage.TARGET, new StageFigures(20 * S, 80 * S, 0, 1)),
            40_000_000_000L,
            100 * S);

    assertThat(line).hasToString("source 12 % > proxy 97 % > network 3 % > target 20 %");
    assertThat(line.bottleneck()).isEqualTo(Stage.PROXY);
    assertThat(line.nextLimit()).isEqualTo(Stage.TARGET);
    // 400 MB/s at a fifth of its time: 2,000 MB/s at all of it.
    assertThat(line.nextLimitBytesPerSec()).isCloseTo(2e9, within(1e3));
  }

  @Test
  void saysNothingOfARunWithoutTime() {
    LoadLine line = LoadLine.of(Map.of(), 0, 0);
    assertThat(line).hasToString("source 0 % > proxy 0 % > network 0 % > target 0 %");
    assertThat(line.nextLimitBytesPerSec()).isInfinite();
  }

  @Test
  void aClocksTimesAddUpToTheTimeItRan() {
    StageClock clock = new StageClock();
    clock.set(State.INPUT_WAIT, 100);
    clock.set(State.BUSY, 130);
    clock.set(State.BUSY, 140);
    clock.set(State.OUTPUT_WAIT, 150);
    assertThat(clock.figures(7, 190)).isEqualTo(new StageFigures(20, 30, 40, 7));
    clock.set(State.STOPPED, 200);
    assertThat(clock.figures(8, 1000)).isEqualTo(new StageFigures(20, 30, 50, 8));
  }
}
