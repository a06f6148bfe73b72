package dev.mover.api.point;

/** Whether points are deleted, or only looked at. */
public enum RemovalMode {
  /** They are deleted. */
  DELETE,
  /** Says what would go, and at least and at most how much space would come back: quickly. */
  ESTIMATE,
  /**
   * As {@link #ESTIMATE}, but how much space exactly. Asks the file system where every file of the
   * repository lies.
   */
  EXACT;

  /** Whether nothing is changed. */
  public boolean isDryRun() {
    return this != DELETE;
  }
}
