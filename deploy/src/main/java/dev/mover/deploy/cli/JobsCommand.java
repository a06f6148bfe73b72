package dev.mover.deploy.cli;

import dev.mover.api.status.Status;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
    name = "jobs",
    description = "Submits backup jobs to a running 'mover proxy', watches and cancels them.",
    subcommands = {
      JobsSubmitCommand.class,
      JobsListCommand.class,
      JobsListCommand.History.class,
      JobsShowCommand.class,
      JobsWatchCommand.class,
      JobsCancelCommand.class
    },
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "Examples:",
      "  mover jobs submit /dev/vdb --machine web --to mover://backup --watch",
      "  mover jobs list",
      "  mover jobs cancel 5c7f…"
    })
final class JobsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin
  @SuppressWarnings("UnusedVariable") // for --help
  private CommonOptions common = new CommonOptions();

  @Override
  public Integer call() {
    CommandLine line = spec.commandLine();
    line.usage(line.getErr());
    return Status.EXIT_USAGE;
  }
}
