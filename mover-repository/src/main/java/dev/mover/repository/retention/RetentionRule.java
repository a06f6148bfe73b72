package dev.mover.repository.retention;

import dev.mover.api.point.Name;
import dev.mover.api.point.Retention;

/**
 * Which points stay of the machines that it fits.
 *
 * @param machines the name of one, or how names begin and a {@code *}
 */
public record RetentionRule(String machines, Retention keep) {
  private static final String ANY = "*";

  boolean fits(Name machine) {
    return machines.endsWith(ANY)
        ? machine.value().startsWith(machines.substring(0, machines.length() - ANY.length()))
        : machine.value().equals(machines);
  }
}
