package dev.mover.deploy.cli;

import dev.mover.api.point.Name;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Narrows a command down to one machine. */
final class MachineFilter {
  @Option(
      names = "--machine",
      paramLabel = "NAME",
      converter = Choices.OfName.class,
      description = "Only this machine's points.")
  private @Nullable Name machine;

  /** Whether one was named. */
  boolean isSet() {
    return machine != null;
  }

  /** Its name; empty: all. */
  String name() {
    return machine == null ? "" : machine.value();
  }
}
