package dev.mover.proxy.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.proxy.Progress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProgressTellerTest {
  private final List<Progress> told = new ArrayList<>();
  private final ProgressTeller teller = new ProgressTeller(told::add);

  @Test
  void neverGoesBackAndReachesHundredOnlyWhenDone() {
    tell("transfer", 70, 700);
    tell("commit", 60, 600);
    tell("transfer", 100, 1000);
    tell("done", 100, 1000);
    assertThat(told.stream().map(Progress::percent)).containsExactly(70.0, 70.0, 99.99, 100.0);
    assertThat(told.stream().map(Progress::doneBytes)).containsExactly(700L, 700L, 1000L, 1000L);
  }

  @Test
  void tellsAPhaseAtOnceAndThenNowAndThen() {
    tell("connect", 0, 0);
    for (int i = 0; i < 10_000; i++) {
      tell("transfer", i / 100.0, i);
    }
    assertThat(told).hasSizeBetween(2, 50);
    assertThat(told.get(1).phase()).isEqualTo("transfer");
  }

  private void tell(String phase, double percent, long doneBytes) {
    teller.tell(new Progress(phase, percent, doneBytes, 1000, 0, 1, "", null));
  }
}
