package dev.mover.repository.extent;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.FileReason;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.linux.LinuxException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;

/** Says a failed file operation as an error a person can act on. */
public final class ExtentError {
  private ExtentError() {}

  /** A write, sync, clone, rename or create that failed. */
  public static MoverException writing(String path, long bytes, IOException cause) {
    if (isNoSpace(cause)) {
      return new RepositoryException(
          ErrorCode.REPOSITORY_FULL,
          "%s: no room %s (%s); free some space and try again"
              .formatted(
                  path,
                  bytes == 0 ? "is left" : "for " + bytes + " more bytes",
                  FileReason.of(cause)),
          cause);
    }
    return new RepositoryException(
        ErrorCode.REPOSITORY_WRITE_FAILED,
        "%s: could not be written (%s); check %s"
            .formatted(path, FileReason.of(cause), whatToCheck(cause)),
        cause);
  }

  /** The JDK's own file calls (folders, small files) tell it by the text of the C library only. */
  static boolean isNoSpace(IOException cause) {
    return cause instanceof LinuxException linux
        ? linux.isNoSpace()
        : cause instanceof FileSystemException jdk
            && ("No space left on device".equals(jdk.getReason())
                || "Disk quota exceeded".equals(jdk.getReason()));
  }

  public static MoverException reading(String path, IOException cause) {
    return new RepositoryException(
        ErrorCode.REPOSITORY_READ_FAILED,
        "%s: could not be read (%s); check %s"
            .formatted(path, FileReason.of(cause), whatToCheck(cause)),
        cause);
  }

  private static String whatToCheck(IOException cause) {
    return cause instanceof AccessDeniedException
        ? "its permissions, and as which user this runs"
        : "the file system and the kernel log";
  }
}
