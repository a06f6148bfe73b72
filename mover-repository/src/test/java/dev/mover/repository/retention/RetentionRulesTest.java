package dev.mover.repository.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.point.Name;
import dev.mover.api.point.Retention;
import java.util.List;
import org.junit.jupiter.api.Test;

class RetentionRulesTest {
  private static final Retention ONE = new Retention(1, 0, 0, 0, 0);
  private static final Retention TWO = new Retention(2, 0, 0, 0, 0);
  private static final Retention THREE = new Retention(3, 0, 0, 0, 0);

  @Test
  void theFirstThatFitsCounts() {
    RetentionRules rules =
        new RetentionRules(
            List.of(
                new RetentionRule("web", ONE),
                new RetentionRule("web-*", TWO),
                new RetentionRule("web*", THREE)));

    assertThat(rules.of(new Name("web"))).contains(ONE);
    assertThat(rules.of(new Name("web-1"))).contains(TWO);
    assertThat(rules.of(new Name("web-"))).contains(TWO);
    assertThat(rules.of(new Name("web1"))).contains(THREE);
    assertThat(rules.of(new Name("we"))).isEmpty();
    assertThat(rules.of(new Name("the-web"))).isEmpty();
  }

  @Test
  void oneForAllFitsAll() {
    RetentionRules rules = new RetentionRules(List.of(new RetentionRule("*", TWO)));

    assertThat(rules.of(new Name("anything"))).contains(TWO);
    assertThat(RetentionRules.NONE.of(new Name("anything"))).isEmpty();
  }
}
