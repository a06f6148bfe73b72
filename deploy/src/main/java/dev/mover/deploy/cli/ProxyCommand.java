package dev.mover.deploy.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.mover.deploy.daemon.ProxyConfig;
import dev.mover.deploy.daemon.ProxyDaemon;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
    name = "proxy",
    description =
        "Runs a proxy as a daemon that takes backup jobs over HTTP; 'mover jobs' talks to it."
            + " Prints one line when it is ready; SIGTERM or Ctrl-C stops it in good order: running"
            + " jobs may finish within 'stopDeadlineSeconds'.",
    footer = {
      "",
      "GET /openapi.json on the HTTP address describes the API; /health, /ready and /metrics",
      "(Prometheus) say how it is.",
      "",
      "Examples:",
      "  mover proxy --print-config > proxy.yaml    then edit 'stateDir'",
      "  mover proxy --config proxy.yaml",
      "  mover jobs submit /disk.img --machine web --to /backup"
    })
final class ProxyCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private CommonOptions common = new CommonOptions();
  @Mixin private DaemonOptions daemon = new DaemonOptions();

  @Override
  public Integer call() throws InterruptedException {
    return daemon.run(
        spec,
        ProxyConfig.sample(),
        file -> ProxyDaemon.start(ProxyConfig.read(file)),
        this::announce);
  }

  private void announce(ProxyDaemon ready) {
    PrintWriter out = spec.commandLine().getOut();
    if (common.json()) {
      out.println(JsonNodeFactory.instance.objectNode().put("http", ready.url()));
    } else {
      out.printf("taking jobs at %s%n", ready.url());
    }
    out.flush();
  }
}
