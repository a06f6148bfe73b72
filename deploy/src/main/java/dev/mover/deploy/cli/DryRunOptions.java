package dev.mover.deploy.cli;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.api.point.RemovalMode;
import picocli.CommandLine.Option;

/** Whether points are really deleted. */
final class DryRunOptions {
  @Option(
      names = "--dry-run",
      description = "Only say what would go and how much space would come back.")
  private boolean dryRun;

  @Option(
      names = "--exact",
      description =
          "With --dry-run: say exactly how much, for which every file of the repository is asked"
              + " where it lies.")
  private boolean exact;

  RemovalMode mode() {
    if (exact && !dryRun) {
      throw new InputException(
          ErrorCode.BAD_USAGE, "--exact says more of a --dry-run; nothing was deleted");
    }
    if (!dryRun) {
      return RemovalMode.DELETE;
    }
    return exact ? RemovalMode.EXACT : RemovalMode.ESTIMATE;
  }
}
