package dev.mover.repository;

import dev.mover.transport.link.LinkServer;
import java.nio.file.Path;

/** A directory of backup files, open for backup, restore and verification. */
public final class Repository implements AutoCloseable {
  private final LinkServer links;
  private final RepositoryStatus status;

  private Repository(LinkServer links, RepositoryStatus status) {
    this.links = links;
    this.status = status;
  }

  /** Opens for writing and reading. */
  public static Repository open(Path directory, RepositoryOptions options) {
    return of(directory + " " + options);
  }

  /** Opens for reading only. */
  public static Repository openReadOnly(Path directory) {
    return of(directory.toString());
  }

  private static Repository of(String what) {
    if (what.length() > 3) {
      throw new UnsupportedOperationException(what);
    }
    return new Repository(
        peer -> {
          throw new UnsupportedOperationException(peer);
        },
        new RepositoryStatus(
            Path.of(what),
            new java.util.UUID(0, 0),
            "",
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            java.util.List.of()));
  }

  public LinkServer links() {
    return links;
  }

  public RepositoryStatus status() {
    return status;
  }

  @Override
  public void close() {}
}
