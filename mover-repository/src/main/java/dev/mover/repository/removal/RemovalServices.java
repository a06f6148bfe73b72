package dev.mover.repository.removal;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.RepositoryException;
import dev.mover.repository.extent.ExtentMode;
import dev.mover.repository.serve.ServeServices;
import dev.mover.repository.session.LiveMachines;
import dev.mover.repository.session.SessionServices;
import java.time.ZoneId;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What all removals share.
 *
 * @param zone where days begin and end
 * @param writer null: the repository is open for reading only, so nothing but a dry run can be had
 */
public record RemovalServices(
    ServeServices serving, ExtentMode mode, ZoneId zone, @Nullable Writing writer) {

  /**
   * What a repository has that is open for writing.
   *
   * @param index catalogue and index, when they are open; a removal works without
   */
  public record Writing(LiveMachines machines, Supplier<Optional<SessionServices>> index) {}

  /**
   * What deleting takes.
   *
   * @throws RepositoryException REPOSITORY_READ_ONLY
   */
  Writing writerToDelete() {
    if (writer == null) {
      throw new RepositoryException(
          ErrorCode.REPOSITORY_READ_ONLY,
          serving.layout().root()
              + ": is open for reading only; delete through its daemon, or open it for writing");
    }
    return writer;
  }
}
