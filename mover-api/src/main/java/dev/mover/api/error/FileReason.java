package dev.mover.api.error;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Locale;

/**
 * Why a file operation failed, in a word. The JDK's own exceptions tell the path again instead, and
 * the reason by their class only.
 */
public final class FileReason {
  private FileReason() {}

  /** For example {@code permission denied}; one line, without the path where that can be. */
  public static String of(IOException e) {
    return switch (e) {
      case AccessDeniedException _ -> "permission denied";
      case NoSuchFileException _ -> "no such file or directory";
      case FileAlreadyExistsException _ -> "it exists, and is something else";
      case NotDirectoryException _ -> "not a directory";
      case DirectoryNotEmptyException _ -> "the directory is not empty";
      case FileSystemException f when f.getReason() != null ->
          f.getReason().substring(0, 1).toLowerCase(Locale.ROOT) + f.getReason().substring(1);
      default -> String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    };
  }
}
