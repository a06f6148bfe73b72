package dev.mover.api.error;

import org.jspecify.annotations.Nullable;

/** The two sides can't talk, or one broke the protocol (codes 4xx). */
public final class LinkException extends MoverException {
  private static final long serialVersionUID = 1L;

  public LinkException(ErrorCode code, String message, @Nullable Throwable cause) {
    super(code, Side.LINK, message, cause);
  }

  public LinkException(ErrorCode code, String message) {
    this(code, message, null);
  }
}
