package dev.mover.deploy.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.api.status.Status;
import dev.mover.deploy.wiring.RepositoryPlace;
import dev.mover.repository.Repository;
import dev.mover.repository.catalogue.IndexFill;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "rebuild-index",
    description =
        "Makes the index and the catalogue of a repository anew from its backup files. Neither is"
            + " needed to list, restore or verify, which work meanwhile; no daemon may run.",
    footer = {
      "",
      "A daemon, or a backup to a directory, that finds the index lost makes it anew by itself while"
          + " it works. A run that is cut off does no harm: whoever opens the repository next goes on.",
      "",
      "Exit code 1 when a backup file could not be read; 'mover verify' says why.",
      "",
      "Example:",
      "  mover rebuild-index --from /backup"
    })
final class RebuildIndexCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private CommonOptions common = new CommonOptions();

  @Option(
      names = "--from",
      required = true,
      paramLabel = "DIR",
      description = "Repository directory, with no daemon running on it.")
  private String from = "";

  @Override
  public Integer call() {
    if (!(RepositoryPlace.parse(from) instanceof RepositoryPlace.Directory directory)) {
      throw new InputException(
          ErrorCode.BAD_USAGE,
          "an index is rebuilt where it lies: stop the daemon, and name its directory with --from");
    }
    long startNs = System.nanoTime();
    IndexFill.Progress done = Repository.rebuildIndex(directory.path(), this::tell);
    PrintWriter out = spec.commandLine().getOut();
    if (common.json()) {
      out.println(
          JsonNodeFactory.instance
              .objectNode()
              .put("machines", done.machines())
              .put("points", done.points())
              .put("unreadable", done.unreadable())
              .put("blocks", done.blocks()));
    } else {
      out.printf(
          "index and catalogue made anew in %.1f s: %s%n",
          (System.nanoTime() - startNs) / 1e9, text(done));
      if (done.unreadable() > 0) {
        out.println(done.unreadable() + " backup files can't be read; mover verify says why");
      }
    }
    return (done.unreadable() == 0 ? Status.SUCCESS : Status.WARNING).exitCode();
  }

  private void tell(IndexFill.Progress at) {
    if (!common.json()) {
      PrintWriter err = spec.commandLine().getErr();
      err.printf("%d of %d machines, %s%n", at.machines(), at.ofMachines(), text(at));
      err.flush();
    }
  }

  private static String text(IndexFill.Progress at) {
    return "%d points, %d blocks".formatted(at.points(), at.blocks());
  }
}
