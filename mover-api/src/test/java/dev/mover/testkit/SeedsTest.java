package dev.mover.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

class SeedsTest {
  @Test
  void runsEveryCaseWithAnotherSeed() {
    Set<Long> seen = new HashSet<>();
    Seeds.check(50, random -> seen.add(random.nextLong()));
    assertThat(seen).hasSizeGreaterThanOrEqualTo(System.getProperty("mover.seed") == null ? 50 : 1);
  }

  @Test
  void namesTheSeedThatReplaysAFailure() {
    long[] drawn = new long[1];
    assertThatThrownBy(
            () ->
                Seeds.check(
                    10,
                    random -> {
                      drawn[0] = random.nextLong();
                      throw new IllegalStateException("broken");
                    }))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("broken")
        .satisfies(
            e -> {
              String seed = e.toString().replaceAll(".*-Dmover.seed=(-?\\d+).*", "$1");
              assertThat(new SplittableRandom(Long.parseLong(seed)).nextLong()).isEqualTo(drawn[0]);
            });
  }

  @Test
  void letsAPropertySkip() {
    assertThatThrownBy(() -> Seeds.check(1, random -> Assumptions.abort("not here")))
        .isInstanceOf(TestAbortedException.class);
  }
}
