package dev.mover.repository.session;

import dev.mover.repository.link.LinkContext;
import dev.mover.repository.link.LinkRole;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.link.BulkReceiver;

/** One link of a session, which may have several in its life, one after the other. */
record SessionRole(BackupSession session, LinkContext link) implements LinkRole {
  @Override
  public BulkReceiver receiver() {
    return session.receiver();
  }

  @Override
  public void onFrame(Frame frame) {
    session.onFrame(link, frame);
  }

  @Override
  public void end() {
    session.ended(link);
  }

  @Override
  public void lost() {
    session.lost(link);
  }

  @Override
  public void whenReleased(Runnable then) {
    session.whenReleased(link, then);
  }
}
