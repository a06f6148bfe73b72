package dev.mover.api.error;

import org.jspecify.annotations.Nullable;

/** A stated limit was reached, or somebody cancelled (codes 7xx). */
public final class LimitException extends MoverException {
  private static final long serialVersionUID = 1L;

  public LimitException(ErrorCode code, Side side, String message, @Nullable Throwable cause) {
    super(code, side, message, cause);
  }

  public LimitException(ErrorCode code, Side side, String message) {
    this(code, side, message, null);
  }
}
