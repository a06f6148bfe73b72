package dev.mover.deploy.cli;

import picocli.CommandLine.Option;

/** What every command takes. */
final class CommonOptions {
  static final String JSON = "--json";
  static final String DEBUG = "--debug";

  @Option(
      names = JSON,
      description = "Print results as JSON: one object, or one a line for listings; no progress.")
  private boolean json;

  @Option(names = DEBUG, description = "With an error, print its stack as well.")
  @SuppressWarnings("UnusedVariable") // Failures looks for it itself
  private boolean debug;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  @SuppressWarnings("UnusedVariable") // for picocli
  private boolean help;

  boolean json() {
    return json;
  }
}
