package dev.mover.repository.link;

import dev.mover.transport.frame.Frame;
import dev.mover.transport.link.BulkReceiver;

/** What a link is used for, decided by its first frame. Called on the link's strand only. */
public interface LinkRole {
  /**
   * A frame arrived. Whatever is thrown goes to the peer as an ERROR frame and ends the link. May
   * block as the pool of the strand allows.
   */
  void onFrame(Frame frame);

  /** The link is over, whoever ended it; no frame follows. Idempotent. */
  void end();

  /** The link broke without a last word from either side; no frame follows. */
  default void lost() {
    end();
  }

  /**
   * Runs {@code then} when everything the role held is given back, which may be later than {@link
   * #end}: reads and writes under way end by themselves. On the strand; asked once, after {@code
   * end}.
   */
  void whenReleased(Runnable then);

  /** Takes bulk frames; called on the transport's thread. */
  default BulkReceiver receiver() {
    return BulkReceiver.NONE;
  }
}
