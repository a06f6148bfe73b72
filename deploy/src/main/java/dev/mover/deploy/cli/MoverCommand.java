package dev.mover.deploy.cli;

import dev.mover.api.status.Status;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "mover",
    description =
        "Backs up disks into a repository that keeps one self-contained backup file per machine and"
            + " restore point, and brings them back.",
    versionProvider = Version.class,
    subcommands = {
      BackupCommand.class,
      RestoreCommand.class,
      PointsCommand.class,
      VerifyCommand.class,
      DeleteCommand.class,
      RetainCommand.class,
      PartialsCommand.class,
      RebuildIndexCommand.class,
      DomainCommand.class,
      RepositoryCommand.class,
      ProxyCommand.class,
      JobsCommand.class,
      DemoCommand.class,
      BenchCommand.class,
      BenchWorkerCommand.class,
      TrainCommand.class,
      HelpCommand.class
    },
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "A repository (REPO) is a directory, or mover://HOST[:PORT] of a 'mover repository' daemon"
          + " (port 7700).",
      "",
      "Exit codes: 0 ok, 1 warning, 2 failed, 64 the command line can't be understood.",
      "",
      "Examples:",
      "  mover demo                                             see it work, from nothing",
      "  mover backup disk.img --machine web --to /backup       a disk image into a directory",
      "  mover backup /dev/vdb --machine web --to mover://host  a block device, to a daemon",
      "  mover points --from /backup                            what is there",
      "  mover restore --machine web --from /backup out.img     the newest point of its only disk",
      "  mover help backup                                      everything about one command"
    })
final class MoverCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  @SuppressWarnings("UnusedVariable") // for picocli
  private boolean help;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Show the version and exit.")
  @SuppressWarnings("UnusedVariable") // for picocli
  private boolean version;

  @Override
  public Integer call() {
    CommandLine line = spec.commandLine();
    line.usage(line.getErr());
    return Status.EXIT_USAGE;
  }
}
