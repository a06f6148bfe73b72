package dev.mover.repository;

import dev.mover.transport.link.LinkServer;
import java.nio.file.Path;

/** A directory of backup files, open for backup, restore and verification. */
public final class Repository implements AutoCloseable {
  private Repository() {}

  /** Opens for writing and reading. */
  public static Repository open(Path directory, RepositoryOptions options) {
    throw new UnsupportedOperationException(directory + " " + options);
  }

  /** Opens for reading only. */
  public static Repository openReadOnly(Path directory) {
    throw new UnsupportedOperationException(directory.toString());
  }

  public LinkServer links() {
    throw new UnsupportedOperationException();
  }

  public RepositoryStatus status() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}
}
