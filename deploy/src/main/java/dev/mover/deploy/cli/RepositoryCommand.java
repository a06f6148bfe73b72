package dev.mover.deploy.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.api.status.Status;
import dev.mover.deploy.daemon.RepositoryConfig;
import dev.mover.deploy.daemon.RepositoryDaemon;
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
      out.print(RepositoryConfig.sample());
      out.flush();
      return Status.SUCCESS.exitCode();
    }
    if (config == null) {
      throw new InputException(
          ErrorCode.BAD_USAGE, "give --config FILE; --print-config shows one to begin with");
    }
    RepositoryDaemon daemon = RepositoryDaemon.start(RepositoryConfig.read(config));
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(daemon), "stop"));
    announce(daemon, out);
    new CountDownLatch(1).await(); // until the hook ends the process
    throw new AssertionError("the hook ends the process");
  }

  /** Halts with a code of its own: after SIGTERM the JVM would say 143, although all is well. */
  private void stop(RepositoryDaemon daemon) {
    int code = Status.SUCCESS.exitCode();
    try {
      daemon.close();
    } catch (RuntimeException e) {
      spec.commandLine().getErr().println("mover: repository: while stopping: " + e.getMessage());
      code = Status.FAILED.exitCode();
    }
    Runtime.getRuntime().halt(code);
  }

  private void announce(RepositoryDaemon daemon, PrintWriter out) {
    if (common.json()) {
      out.println(
          JsonNodeFactory.instance
              .objectNode()
              .put("listening", daemon.address())
              .put("http", daemon.healthUrl())
              .put("path", daemon.directory())
              .put("mode", daemon.mode()));
    } else {
      out.printf(
          "listening on %s, health at %s, repository %s: %s%n",
          daemon.address(), daemon.healthUrl(), daemon.directory(), daemon.mode());
    }
    out.flush();
  }
}
