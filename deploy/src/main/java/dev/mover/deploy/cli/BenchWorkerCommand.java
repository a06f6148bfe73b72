package dev.mover.deploy.cli;

import dev.mover.api.status.Status;
import dev.mover.deploy.bench.BenchWorker;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A child of {@code mover bench}: orders on stdin, answers on stdout, ends when stdin does. */
@Command(name = "bench-worker", hidden = true)
final class BenchWorkerCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin
  @SuppressWarnings("UnusedVariable") // takes --json, which every child process is given
  private CommonOptions common = new CommonOptions();

  @Override
  public Integer call() throws IOException {
    try (BenchWorker worker = new BenchWorker();
        BufferedReader in =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      worker.serve(in, spec.commandLine().getOut());
    }
    return Status.SUCCESS.exitCode();
  }
}
