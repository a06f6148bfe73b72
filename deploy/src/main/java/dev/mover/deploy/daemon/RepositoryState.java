package dev.mover.deploy.daemon;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import dev.mover.repository.Repository;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Where a repository daemon is between its start and its end. Thread-safe. */
final class RepositoryState {
  private final Path path;
  private @Nullable Repository repository;
  private boolean stopping;
  private boolean stopped;

  RepositoryState(Path path) {
    this.path = path;
  }

  /** From now on there is something to ask. */
  synchronized void opened(Repository open) {
    repository = open;
  }

  /** Nobody new is let in; what is there can still be asked. */
  synchronized void stopping() {
    stopping = true;
  }

  /** Nothing can be asked any more. */
  synchronized void stopped() {
    stopped = true;
  }

  synchronized boolean isReady() {
    return repository != null && !stopping;
  }

  synchronized boolean isStopping() {
    return stopping;
  }

  /**
   * What the daemon serves.
   *
   * @throws MoverException BUSY while it starts, SHUTTING_DOWN when it has ended
   */
  synchronized Repository repository() {
    Repository open = repository;
    if (stopped) {
      throw MoverException.of(
          ErrorCode.SHUTTING_DOWN,
          Side.REPOSITORY,
          path + ": the repository is being closed; connect again later");
    }
    if (open == null) {
      throw MoverException.of(
          ErrorCode.BUSY,
          Side.REPOSITORY,
          path + ": the repository is being opened; try again in a moment");
    }
    return open;
  }
}
