package dev.mover.api.error;

import org.jspecify.annotations.Nullable;

/**
 * An operating failure. The message is one sentence for the person who must act: what happened, to
 * which object, and what to do. It carries no stack of its own when it came over the wire.
 */
public abstract sealed class MoverException extends RuntimeException
    permits InputException,
        KeyException,
        SourceException,
        RepositoryException,
        LinkException,
        DataException,
        TargetException,
        LimitException {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;
  private final Side side;

  MoverException(ErrorCode code, Side side, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
    this.side = side;
  }

  public final ErrorCode code() {
    return code;
  }

  public final Side side() {
    return side;
  }

  public final Retry retry() {
    return code.retry();
  }

  @Override
  public final String getMessage() {
    return String.valueOf(super.getMessage());
  }

  /** The exception a peer's ERROR frame stands for, or a local one of the same family. */
  public static MoverException of(ErrorCode code, Side side, String message) {
    return of(code, side, message, null);
  }

  public static MoverException of(
      ErrorCode code, Side side, String message, @Nullable Throwable cause) {
    return switch (code.number() / 100) {
      case 1 -> new InputException(code, side, message, cause);
      case 2 -> new SourceException(code, message, cause);
      case 3 -> new RepositoryException(code, side, message, cause);
      case 4 -> new LinkException(code, message, cause);
      case 5 -> new DataException(code, side, message, cause);
      case 6 -> new TargetException(code, message, cause);
      case 8 -> new KeyException(code, side, message, cause);
      default -> new LimitException(code, side, message, cause);
    };
  }
}
