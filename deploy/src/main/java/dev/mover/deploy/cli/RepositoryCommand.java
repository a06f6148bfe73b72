package dev.mover.deploy.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.mover.deploy.daemon.RepositoryConfig;
import dev.mover.deploy.daemon.RepositoryDaemon;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
    name = "repository",
    description =
        "Runs a repository as a daemon that proxies on other hosts back up to. Prints one line when"
            + " it is ready; SIGTERM or Ctrl-C stops it in good order: what runs may finish within"
            + " 'stopDeadlineSeconds'.",
    footer = {
      "",
      "GET /openapi.json on the HTTP address describes the API: sessions, extents, points, and",
      "limits that can be changed while it runs; /health, /ready and /metrics (Prometheus) say",
      "how it is.",
      "",
      "Examples:",
      "  mover repository --print-config > repository.yaml    then edit 'path' and 'listen'",
      "  mover repository --config repository.yaml"
    })
final class RepositoryCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private CommonOptions common = new CommonOptions();
  @Mixin private DaemonOptions daemon = new DaemonOptions();

  @Override
  public Integer call() throws InterruptedException {
    return daemon.run(
        spec,
        RepositoryConfig.sample(),
        file -> RepositoryDaemon.start(RepositoryConfig.read(file)),
        this::announce);
  }

  private void announce(RepositoryDaemon ready) {
    PrintWriter out = spec.commandLine().getOut();
    if (common.json()) {
      out.println(
          JsonNodeFactory.instance
              .objectNode()
              .put("listening", ready.address())
              .put("http", ready.healthUrl())
              .put("path", ready.directory())
              .put("mode", ready.mode()));
    } else {
      out.printf(
          "listening on %s, health at %s, repository %s: %s%n",
          ready.address(), ready.healthUrl(), ready.directory(), ready.mode());
    }
    out.flush();
  }
}
