package dev.mover.repository.extent;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.linux.LinuxException;
import java.io.IOException;

/** Says a failed file operation as an error a person can act on. */
public final class ExtentError {
  private ExtentError() {}

  /** A write, sync, clone, rename or create that failed. */
  public static MoverException writing(String path, long bytes, IOException cause) {
    if (cause instanceof LinuxException linux && linux.isNoSpace()) {
      return new RepositoryException(
          ErrorCode.REPOSITORY_FULL,
          "%s: no room for %d more bytes (%s); free some space and run the backup again"
              .formatted(path, bytes, cause.getMessage()),
          cause);
    }
    return new RepositoryException(
        ErrorCode.REPOSITORY_WRITE_FAILED,
        "%s: could not be written (%s); check the file system and the kernel log"
            .formatted(path, cause.getMessage()),
        cause);
  }

  public static MoverException reading(String path, IOException cause) {
    return new RepositoryException(
        ErrorCode.REPOSITORY_READ_FAILED,
        "%s: could not be read (%s); check the file system and the kernel log"
            .formatted(path, cause.getMessage()),
        cause);
  }
}
