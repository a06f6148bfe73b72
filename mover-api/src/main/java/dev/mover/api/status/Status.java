package dev.mover.api.status;

/** How a run ended, and the exit code that says so. */
public enum Status {
  SUCCESS(0),
  WARNING(1),
  FAILED(2);

  /** Exit code for a command line that can't be understood (sysexits EX_USAGE). */
  public static final int EXIT_USAGE = 64;

  private final int exitCode;

  Status(int exitCode) {
    this.exitCode = exitCode;
  }

  public int exitCode() {
    return exitCode;
  }

  public Status worse(Status other) {
    return compareTo(other) >= 0 ? this : other;
  }
}
