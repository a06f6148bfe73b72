package dev.mover.api.error;

import org.jspecify.annotations.Nullable;

/** A key that is missing, wrong, or says that something was changed (codes 8xx). */
public final class KeyException extends MoverException {
  private static final long serialVersionUID = 1L;

  public KeyException(ErrorCode code, String message) {
    super(code, Side.CLI, message, null);
  }

  KeyException(ErrorCode code, Side side, String message, @Nullable Throwable cause) {
    super(code, side, message, cause);
  }
}
