package dev.mover.repository.retention;

import dev.mover.api.point.Name;
import dev.mover.api.point.Retention;
import java.util.List;
import java.util.Optional;

/** What is kept of which machine: the first rule that fits counts, and what none fits stays. */
public record RetentionRules(List<RetentionRule> rules) {
  public static final RetentionRules NONE = new RetentionRules(List.of());

  public RetentionRules {
    rules = List.copyOf(rules);
  }

  /** What to keep of a machine; empty: all. */
  public Optional<Retention> of(Name machine) {
    return rules.stream().filter(rule -> rule.fits(machine)).findFirst().map(RetentionRule::keep);
  }
}
