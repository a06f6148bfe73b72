package dev.mover.deploy.daemon;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.api.status.Status;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** Where a job stands; it only moves down this list. */
public enum JobState {
  QUEUED,
  RUNNING,
  SUCCESS,
  WARNING,
  FAILED,
  CANCELLED;

  /** As the API writes it. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  public boolean isEnded() {
    return compareTo(RUNNING) > 0;
  }

  /** What a command that waited for the job exits with. */
  public int exitCode() {
    return switch (this) {
      case QUEUED, RUNNING, SUCCESS -> Status.SUCCESS.exitCode();
      case WARNING -> Status.WARNING.exitCode();
      case FAILED, CANCELLED -> Status.FAILED.exitCode();
    };
  }

  static JobState of(Status status) {
    return switch (status) {
      case SUCCESS -> SUCCESS;
      case WARNING -> WARNING;
      case FAILED -> FAILED;
    };
  }

  /**
   * Reads a label.
   *
   * @throws InputException BAD_USAGE
   */
  public static JobState named(String label) {
    return Arrays.stream(values())
        .filter(state -> state.label().equals(label))
        .findFirst()
        .orElseThrow(
            () ->
                new InputException(
                    ErrorCode.BAD_USAGE,
                    "'%s' is no state of a job; there are %s"
                        .formatted(
                            label,
                            Arrays.stream(values())
                                .map(JobState::label)
                                .collect(Collectors.joining(", ")))));
  }
}
