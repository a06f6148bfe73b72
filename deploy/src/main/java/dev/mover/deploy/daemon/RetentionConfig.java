package dev.mover.deploy.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mover.api.point.Retention;
import dev.mover.repository.retention.RetentionRule;
import dev.mover.repository.retention.RetentionRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Reads the list {@code retention} of a repository's configuration. */
final class RetentionConfig {
  static final String KEY = "retention";

  private static final int MOST_RULES = 1024;
  private static final String MACHINES = "machines";
  private static final Set<String> KEYS =
      Set.of(MACHINES, "keepLast", "keepDaily", "keepWeekly", "keepMonthly", "keepYearly");

  private RetentionConfig() {}

  static RetentionRules read(ConfigFile file) {
    JsonNode list = file.node(KEY);
    if (list.isMissingNode()) {
      return RetentionRules.NONE;
    }
    if (!list.isArray() || list.size() > MOST_RULES) {
      throw file.bad("has a 'retention' that is not a list of at most " + MOST_RULES);
    }
    List<RetentionRule> rules = new ArrayList<>();
    for (JsonNode node : list) {
      rules.add(rule(file.item(node, KEY, KEYS)));
    }
    return new RetentionRules(rules);
  }

  private static RetentionRule rule(ConfigFile item) {
    String machines = item.node(MACHINES).asText("*");
    int star = machines.indexOf('*');
    if (machines.isEmpty() || (star >= 0 && star < machines.length() - 1)) {
      throw item.bad(
          "has 'machines: %s' in 'retention'; write a machine's name, or how names begin and then *"
              .formatted(machines));
    }
    int last = count(item, "keepLast");
    int daily = count(item, "keepDaily");
    int weekly = count(item, "keepWeekly");
    int monthly = count(item, "keepMonthly");
    int yearly = count(item, "keepYearly");
    if (last + daily + weekly + monthly + yearly == 0) {
      throw item.bad("has a 'retention' for machines '%s' that keeps nothing".formatted(machines));
    }
    return new RetentionRule(machines, new Retention(last, daily, weekly, monthly, yearly));
  }

  private static int count(ConfigFile item, String key) {
    return item.number(key, 0, Retention.MOST, 0);
  }
}
