package dev.mover.deploy.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;

/** Entry of every {@code mover} process. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    System.exit(
        run(
            args,
            new PrintWriter(System.out, true, StandardCharsets.UTF_8),
            new PrintWriter(System.err, true, StandardCharsets.UTF_8)));
  }

  /** Runs one command line and returns the exit code: 0 ok, 1 warning, 2 failed, 64 usage. */
  static int run(String[] args, PrintWriter out, PrintWriter err) {
    Failures failures = new Failures(out, err, args);
    CommandLine line =
        new CommandLine(new MoverCommand())
            .setOut(out)
            .setErr(err)
            .setUsageHelpWidth(100)
            .setUsageHelpLongOptionsMaxWidth(28)
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setParameterExceptionHandler((e, ignored) -> failures.usage(e))
            .setExecutionExceptionHandler((e, command, ignored) -> failures.failed(e, command));
    int code = line.execute(args);
    out.flush();
    err.flush();
    return code;
  }
}
