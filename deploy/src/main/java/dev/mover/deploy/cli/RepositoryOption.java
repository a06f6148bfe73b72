package dev.mover.deploy.cli;

import picocli.CommandLine.Option;

/** Which repository a command reads, or takes points from. */
final class RepositoryOption {
  @Option(
      names = "--from",
      required = true,
      paramLabel = "REPO",
      description = "Repository directory, or mover://HOST[:PORT].")
  private String place = "";

  /** As it was typed. */
  String place() {
    return place;
  }
}
