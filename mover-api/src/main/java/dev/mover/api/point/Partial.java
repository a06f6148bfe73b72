package dev.mover.api.point;

import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;

/**
 * What a session that has not committed left, or is about to write: no restore point, but the
 * machine's next backup knows the blocks in it.
 *
 * @param machine whose
 * @param file folder and name, as it lies in the repository, at most {@link #MAX_FILE_BYTES}; they
 *     are listed in the order of these
 * @param sessionId of the session that wrote it; all zeros: its head can't be read
 * @param begunAt when that session was opened; {@link Instant#EPOCH}: its head can't be read
 * @param writtenAt when it was last written to, by the file system
 * @param occupiedBytes what it takes on disk, shared parts in full
 * @param use whether a session of the machine needs it now
 */
public record Partial(
    Name machine,
    String file,
    UUID sessionId,
    Instant begunAt,
    Instant writtenAt,
    long occupiedBytes,
    Use use) {
  /** A folder of 180 characters at most, which are ASCII, and a file name. */
  public static final int MAX_FILE_BYTES = 512;

  /** Whether a session needs a partial. */
  public enum Use {
    /** No session of its machine is there. */
    FREE(0),
    /** A session of its machine is running, or waited for after a lost link. */
    SESSION(1),
    /** Looked at beside whoever writes the repository. */
    UNKNOWN(2);

    private final int number;

    Use(int number) {
      this.number = number;
    }

    /** On the wire. */
    public int number() {
      return number;
    }

    public static Optional<Use> of(int number) {
      return Arrays.stream(values()).filter(use -> use.number == number).findFirst();
    }
  }
}
