package dev.mover.deploy.cli;

import picocli.CommandLine.IVersionProvider;

/** The version in the jar's manifest; a class folder has none. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    String version = Version.class.getPackage().getImplementationVersion();
    return new String[] {"mover " + (version == null ? "(not packaged)" : version)};
  }
}
