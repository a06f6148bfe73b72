package dev.mover.api.error;

/** What a caller may do about an error without a person. */
public enum Retry {
  /** Doing the same again gives the same: a person must change something. */
  NEVER,
  /** The cause may pass: the same call again later. */
  LATER,
  /** The connection is gone, the work is not: connect again and go on. */
  RECONNECT
}
