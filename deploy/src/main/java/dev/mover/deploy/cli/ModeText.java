package dev.mover.deploy.cli;

import java.util.Optional;

/** What a person should know of the repository's file system beside the point that was made. */
final class ModeText {
  private static final String NO_CLONING = "no cloning";

  private ModeText() {}

  /**
   * What it means where points don't stand alone; empty where the file system clones.
   *
   * @param mode as the repository tells it
   */
  static Optional<String> of(String mode) {
    return mode.startsWith(NO_CLONING)
        ? Optional.of(
            Failures.oneLine(mode)
                + ": points share blocks only within their machine, and need its earlier files")
        : Optional.empty();
  }
}
