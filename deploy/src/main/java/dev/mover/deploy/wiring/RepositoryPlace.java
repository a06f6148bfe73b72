package dev.mover.deploy.wiring;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.transport.link.RepositoryAddress;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** What a person named as a repository. */
public sealed interface RepositoryPlace {
  /** A directory of this host. */
  record Directory(Path path) implements RepositoryPlace {}

  /** A daemon, reached over TCP. */
  record Daemon(RepositoryAddress address) implements RepositoryPlace {}

  /**
   * Reads a directory or {@code mover://host[:port]}. An address that lacks its {@code mover://}
   * must not become a directory of that name: the backup would lie where nobody looks for it.
   *
   * @throws InputException BAD_ADDRESS
   */
  static RepositoryPlace parse(String text) {
    if (text.contains("://")) {
      return new Daemon(RepositoryAddress.parse(text));
    }
    if (MeantAddress.isOne(text)) {
      throw bad(
          "'%s' looks like a daemon's address; %s (a directory of that name is ./%s)"
              .formatted(text, MeantAddress.hint(text), text));
    }
    try {
      if (!text.isEmpty()) {
        return new Directory(Path.of(text));
      }
    } catch (InvalidPathException e) {
      // said below
    }
    throw bad("'" + text + "' is neither a directory nor an address like mover://host:7700");
  }

  private static InputException bad(String message) {
    return new InputException(ErrorCode.BAD_ADDRESS, message);
  }
}
