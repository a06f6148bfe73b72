package dev.mover.deploy.cli;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.api.status.Status;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** What the daemons' commands take, and how such a command runs until somebody stops it. */
final class DaemonOptions {
  @Option(names = "--config", paramLabel = "FILE", description = "YAML configuration.")
  private @Nullable Path config;

  @Option(
      names = "--print-config",
      description = "Print a configuration with every key, its default and a word about it.")
  private boolean printConfig;

  /**
   * Prints {@code sample} when that is asked for; else starts the daemon, announces it, and returns
   * never: the process ends with the signal that stops it.
   */
  <D extends AutoCloseable> int run(
      CommandSpec spec, String sample, Function<Path, D> start, Consumer<D> announce)
      throws InterruptedException {
    if (printConfig) {
      PrintWriter out = spec.commandLine().getOut();
      out.print(sample);
      out.flush();
      return Status.SUCCESS.exitCode();
    }
    if (config == null) {
      throw new InputException(
          ErrorCode.BAD_USAGE, "give --config FILE; --print-config shows one to begin with");
    }
    D daemon = start.apply(config);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(daemon, spec), "stop"));
    announce.accept(daemon);
    new CountDownLatch(1).await(); // until the hook ends the process
    throw new AssertionError("the hook ends the process");
  }

  /** Halts with a code of its own: after SIGTERM the JVM would say 143, although all is well. */
  private static void stop(AutoCloseable daemon, CommandSpec spec) {
    int code = Status.SUCCESS.exitCode();
    try {
      daemon.close();
    } catch (Exception e) {
      spec.commandLine()
          .getErr()
          .printf("mover: %s: while stopping: %s%n", spec.name(), e.getMessage());
      code = Status.FAILED.exitCode();
    }
    Runtime.getRuntime().halt(code);
  }
}
