package dev.mover.api.error;

import org.jspecify.annotations.Nullable;

/** Bytes are not what they were when stored (codes 5xx). */
public final class DataException extends MoverException {
  private static final long serialVersionUID = 1L;

  public DataException(ErrorCode code, Side side, String message, @Nullable Throwable cause) {
    super(code, side, message, cause);
  }

  public DataException(ErrorCode code, Side side, String message) {
    this(code, side, message, null);
  }
}
