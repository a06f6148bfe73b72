package dev.mover.api.error;

import org.jspecify.annotations.Nullable;

/** The repository can't do what was asked (codes 3xx). */
public final class RepositoryException extends MoverException {
  private static final long serialVersionUID = 1L;

  public RepositoryException(ErrorCode code, String message, @Nullable Throwable cause) {
    super(code, Side.REPOSITORY, message, cause);
  }

  public RepositoryException(ErrorCode code, String message) {
    this(code, message, null);
  }

  RepositoryException(ErrorCode code, Side side, String message, @Nullable Throwable cause) {
    super(code, side, message, cause);
  }
}
