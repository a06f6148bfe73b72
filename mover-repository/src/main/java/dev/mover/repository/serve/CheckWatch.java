package dev.mover.repository.serve;

import dev.mover.repository.link.LinkContext;

/** The cancel flag of a check: whoever reads for long looks at it often. Thread-safe. */
interface CheckWatch {
  boolean isOver();

  /** Throws CANCELLED when it is over. */
  void checkOver();

  /** A check made for a link is over when the link is. */
  static CheckWatch of(LinkContext link) {
    return new CheckWatch() {
      @Override
      public boolean isOver() {
        return link.isOver();
      }

      @Override
      public void checkOver() {
        link.checkOver();
      }
    };
  }
}
