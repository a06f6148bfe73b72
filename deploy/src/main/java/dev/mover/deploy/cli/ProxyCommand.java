package dev.mover.deploy.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.api.status.Status;
import dev.mover.deploy.daemon.ProxyConfig;
import dev.mover.deploy.daemon.ProxyDaemon;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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

  @Option(names = "--config", paramLabel = "FILE", description = "YAML configuration.")
  private @Nullable Path config;

  @Option(
      names = "--print-config",
      description = "Print a configuration with every key, its default and a word about it.")
  private boolean printConfig;

  @Override
  public Integer call() throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    if (printConfig) {
      out.print(ProxyConfig.sample());
      out.flush();
      return Status.SUCCESS.exitCode();
    }
    if (config == null) {
      throw new InputException(
          ErrorCode.BAD_USAGE, "give --config FILE; --print-config shows one to begin with");
    }
    ProxyDaemon daemon = ProxyDaemon.start(ProxyConfig.read(config));
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(daemon), "stop"));
    announce(daemon, out);
    new CountDownLatch(1).await(); // until the hook ends the process
    throw new AssertionError("the hook ends the process");
  }

  /** Halts with a code of its own: after SIGTERM the JVM would say 143, although all is well. */
  private void stop(ProxyDaemon daemon) {
    int code = Status.SUCCESS.exitCode();
    try {
      daemon.close();
    } catch (RuntimeException e) {
      spec.commandLine().getErr().println("mover: proxy: while stopping: " + e.getMessage());
      code = Status.FAILED.exitCode();
    }
    Runtime.getRuntime().halt(code);
  }

  private void announce(ProxyDaemon daemon, PrintWriter out) {
    if (common.json()) {
      out.println(JsonNodeFactory.instance.objectNode().put("http", daemon.url()));
    } else {
      out.printf("taking jobs at %s%n", daemon.url());
    }
    out.flush();
  }
}
