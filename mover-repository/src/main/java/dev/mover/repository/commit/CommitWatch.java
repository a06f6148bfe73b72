package dev.mover.repository.commit;

/** Looks on while a commit runs. */
public interface CommitWatch {
  /**
   * How far it is.
   *
   * @param percent 0 to 100, never less than before
   */
  void progress(int percent, String phase);

  /** Throws when nobody waits for the commit any more; asked between steps, until the rename. */
  void checkCancelled();

  /** As {@link #checkCancelled}, for who waits. */
  boolean isCancelled();
}
