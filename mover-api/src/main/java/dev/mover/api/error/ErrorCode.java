package dev.mover.api.error;

import java.util.Arrays;
import java.util.Optional;

/**
 * Every operating failure there is. Numbers are stable: they stand on the wire, in {@code --json}
 * and in the operations guide, and are never given to another meaning.
 */
public enum ErrorCode {
  // 1xx what the caller gave
  BAD_USAGE(100, Retry.NEVER),
  BAD_NAME(101, Retry.NEVER),
  BAD_SIZE(102, Retry.NEVER),
  BAD_CONFIG(103, Retry.NEVER),
  BAD_ADDRESS(104, Retry.NEVER),
  NO_SUCH_JOB(105, Retry.NEVER),
  JOB_ENDED(106, Retry.NEVER),
  /** An HTTP request that a web page of another site may have made. */
  FOREIGN_REQUEST(107, Retry.NEVER),

  // 2xx the source
  SOURCE_MISSING(200, Retry.NEVER),
  SOURCE_UNREADABLE(201, Retry.NEVER),
  SOURCE_READ_FAILED(202, Retry.LATER),
  SOURCE_SHRANK(203, Retry.LATER),
  SOURCE_CHANGED(204, Retry.LATER),
  SOURCE_UNSUPPORTED(205, Retry.NEVER),

  // 3xx the repository
  NOT_A_REPOSITORY(300, Retry.NEVER),
  REPOSITORY_TOO_NEW(301, Retry.NEVER),
  REPOSITORY_BUSY(302, Retry.LATER),
  REPOSITORY_FULL(303, Retry.LATER),
  REPOSITORY_WRITE_FAILED(304, Retry.LATER),
  REPOSITORY_READ_FAILED(305, Retry.LATER),
  NO_SUCH_POINT(306, Retry.NEVER),
  NO_SUCH_DISK(307, Retry.NEVER),
  MACHINE_BUSY(308, Retry.LATER),
  REPOSITORY_CHANGED(309, Retry.NEVER),
  INDEX_FAILED(310, Retry.LATER),
  REPOSITORY_READ_ONLY(311, Retry.NEVER),
  SHUTTING_DOWN(312, Retry.LATER),
  /** What is there of it can't be read: whoever opens it next as the writer makes it anew. */
  INDEX_DAMAGED(313, Retry.LATER),
  /** The session of a link that came back is not there any more. */
  SESSION_LOST(314, Retry.LATER),

  // 4xx the link
  CONNECT_FAILED(400, Retry.LATER),
  LINK_LOST(401, Retry.RECONNECT),
  NOT_A_MOVER(402, Retry.NEVER),
  VERSION_UNSUPPORTED(403, Retry.NEVER),
  PROTOCOL_VIOLATION(404, Retry.NEVER),
  FRAME_TOO_LARGE(405, Retry.NEVER),
  PORT_IN_USE(406, Retry.NEVER),
  DEADLINE_PASSED(407, Retry.RECONNECT),

  // 5xx the data
  BLOCK_DAMAGED(500, Retry.NEVER),
  METADATA_DAMAGED(501, Retry.NEVER),
  DIGEST_MISMATCH(502, Retry.NEVER),

  // 6xx the restore target
  TARGET_EXISTS(600, Retry.NEVER),
  TARGET_TOO_SMALL(601, Retry.NEVER),
  TARGET_BUSY(602, Retry.LATER),
  TARGET_WRITE_FAILED(603, Retry.LATER),

  // 7xx limits
  OUT_OF_MEMORY_BUDGET(700, Retry.LATER),
  CANCELLED(701, Retry.LATER),
  /** A bounded queue is full. */
  BUSY(702, Retry.LATER),
  /** A defect of the mover itself; the log has the stack. */
  INTERNAL(799, Retry.NEVER),

  // 8xx keys and trust
  /** A point is encrypted and no domain was named, or only its public half. */
  DOMAIN_NEEDED(800, Retry.NEVER),
  WRONG_PASSWORD(801, Retry.NEVER),
  /** A domain file or a key is not as it was written. */
  KEY_DAMAGED(802, Retry.NEVER),
  /** A key, or a point, belongs to another domain. */
  OTHER_DOMAIN(803, Retry.NEVER),
  /** A disk is not as its domain sealed it. */
  SEAL_BROKEN(804, Retry.NEVER);

  private final int number;
  private final Retry retry;

  ErrorCode(int number, Retry retry) {
    this.number = number;
    this.retry = retry;
  }

  public int number() {
    return number;
  }

  public Retry retry() {
    return retry;
  }

  public static Optional<ErrorCode> of(int number) {
    return Arrays.stream(values()).filter(c -> c.number == number).findFirst();
  }
}
