package dev.mover.deploy.cli;

import dev.mover.api.point.RemovalMode;
import dev.mover.api.point.Retention;
import dev.mover.deploy.wiring.RepositoryDoor;
import dev.mover.proxy.Proxy;
import dev.mover.proxy.ProxyOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "retain",
    description =
        "Deletes the restore points that a retention doesn't keep, machine by machine. A point that"
            + " any of the --keep options keeps stays.",
    footer = {
      "",
      "--keep-daily 7 keeps the newest point of each of the last seven days that have one, and so"
          + " on; days begin at midnight where the repository is, weeks on Monday. No point goes"
          + " because it is old: what the clock says now plays no part.",
      "",
      "Points that can't be read are neither counted nor deleted. A machine whose points can't be"
          + " deleted now is told of, and the exit code is 1 then.",
      "",
      "Examples:",
      "  mover retain --from /backup --keep-last 3 --keep-daily 7 --dry-run",
      "  mover retain --from mover://backup --keep-daily 7 --keep-weekly 4 --keep-monthly 12"
    })
final class RetainCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private CommonOptions common = new CommonOptions();
  @Mixin private RepositoryOption from = new RepositoryOption();
  @Mixin private MachineFilter machine = new MachineFilter();

  @Option(names = "--keep-last", paramLabel = "N", description = "The last N points.")
  private int last;

  @Option(names = "--keep-daily", paramLabel = "N", description = "The newest of each of N days.")
  private int daily;

  @Option(names = "--keep-weekly", paramLabel = "N", description = "The newest of each of N weeks.")
  private int weekly;

  @Option(
      names = "--keep-monthly",
      paramLabel = "N",
      description = "The newest of each of N months.")
  private int monthly;

  @Option(names = "--keep-yearly", paramLabel = "N", description = "The newest of each of N years.")
  private int yearly;

  @Mixin private DryRunOptions dryRun = new DryRunOptions();

  @Override
  public Integer call() {
    Retention keep = new Retention(last, daily, weekly, monthly, yearly);
    RemovalMode mode = dryRun.mode();
    RemovalView view = new RemovalView(spec.commandLine().getOut(), common.json(), mode);
    try (RepositoryDoor door =
            mode.isDryRun()
                ? RepositoryDoor.forReading(from.place())
                : RepositoryDoor.forRemoval(from.place());
        Proxy proxy = new Proxy(ProxyOptions.DEFAULT)) {
      view.finish(proxy.retain(machine.name(), keep, mode, door.connector(), view::add));
    }
    return view.status().exitCode();
  }
}
