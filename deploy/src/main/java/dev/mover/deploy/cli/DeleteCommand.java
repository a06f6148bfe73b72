package dev.mover.deploy.cli;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.api.point.Name;
import dev.mover.api.point.RemovalMode;
import dev.mover.deploy.wiring.RepositoryDoor;
import dev.mover.proxy.Proxy;
import dev.mover.proxy.ProxyOptions;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "delete",
    description =
        "Deletes one restore point of a machine, or the machine with all its points. All other"
            + " points stay whole. Needs no free space in the repository.",
    footer = {
      "",
      "A directory must not be in use by another mover that writes; go through its daemon then.",
      "",
      "Where the file system can't clone, a point that is being read, and the points of a machine"
          + " that is being backed up, can't be deleted until that has ended.",
      "",
      "Examples:",
      "  mover delete --machine web --point 3 --from /backup --dry-run",
      "  mover delete --machine web --point 3 --from /backup",
      "  mover delete --machine old --all --from mover://backup"
    })
final class DeleteCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private CommonOptions common = new CommonOptions();
  @Mixin private RepositoryOption from = new RepositoryOption();

  @Option(
      names = "--machine",
      required = true,
      paramLabel = "NAME",
      converter = Choices.OfName.class,
      description = "Whose points.")
  private Name machine = new Name("unset");

  @Option(
      names = "--point",
      paramLabel = "P",
      converter = Choices.OfSequence.class,
      description = "The point of this number.")
  private @Nullable Long point;

  @Option(
      names = "--all",
      description = "Every point, and what sessions that died left of the machine.")
  private boolean all;

  @Mixin private DryRunOptions dryRun = new DryRunOptions();

  @Override
  public Integer call() {
    if (all == (point != null)) {
      throw new InputException(
          ErrorCode.BAD_USAGE, "say which point to delete: --point P for one, or --all");
    }
    RemovalMode mode = dryRun.mode();
    RemovalView view = new RemovalView(spec.commandLine().getOut(), common.json(), mode);
    try (RepositoryDoor door =
            mode.isDryRun()
                ? RepositoryDoor.forReading(from.place())
                : RepositoryDoor.forRemoval(from.place());
        Proxy proxy = new Proxy(ProxyOptions.DEFAULT)) {
      view.finish(
          proxy.delete(machine, point == null ? 0 : point, mode, door.connector(), view::add));
    }
    return view.status().exitCode();
  }
}
