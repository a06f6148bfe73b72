package dev.mover.api.error;

import org.jspecify.annotations.Nullable;

/** A restore target can't take the disk (codes 6xx). */
public final class TargetException extends MoverException {
  private static final long serialVersionUID = 1L;

  public TargetException(ErrorCode code, String message, @Nullable Throwable cause) {
    super(code, Side.PROXY, message, cause);
  }

  public TargetException(ErrorCode code, String message) {
    this(code, message, null);
  }
}
