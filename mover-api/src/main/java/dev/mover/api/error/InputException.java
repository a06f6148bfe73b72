package dev.mover.api.error;

import org.jspecify.annotations.Nullable;

/** What the caller gave can't be used (codes 1xx). */
public final class InputException extends MoverException {
  private static final long serialVersionUID = 1L;

  public InputException(ErrorCode code, String message) {
    super(code, Side.CLI, message, null);
  }

  InputException(ErrorCode code, Side side, String message, @Nullable Throwable cause) {
    super(code, side, message, cause);
  }
}
