package dev.mover.api.error;

import org.jspecify.annotations.Nullable;

/** A disk can't be read as it should (codes 2xx). */
public final class SourceException extends MoverException {
  private static final long serialVersionUID = 1L;

  public SourceException(ErrorCode code, String message, @Nullable Throwable cause) {
    super(code, Side.PROXY, message, cause);
  }

  public SourceException(ErrorCode code, String message) {
    this(code, message, null);
  }
}
