package dev.mover.deploy.cli;

import dev.mover.deploy.demo.Demo;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "demo",
    description =
        "Shows everything once, with real processes: makes two machines with two disks each, starts a"
            + " repository daemon with 3 task slots, backs up over TCP, changes the disks, backs up"
            + " again, restores and compares byte by byte, verifies, and cleans up. Takes under a"
            + " minute and about 2.5 GB of disk while it runs.",
    footer = {
      "",
      "As root with xfsprogs the repository lies on a loop-mounted XFS, where equal blocks are shared"
          + " by cloning; otherwise in a plain directory.",
      "Exit code 2 when anything that came back differs."
    })
final class DemoCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private CommonOptions common = new CommonOptions();

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Where to work, in a folder of its own (default: /var/tmp).")
  private @Nullable Path directory;

  @Override
  public Integer call() {
    return new Demo(spec.commandLine().getOut(), spec.commandLine().getErr(), common.json())
        .run(directory == null ? Path.of("/var/tmp") : directory)
        .exitCode();
  }
}
