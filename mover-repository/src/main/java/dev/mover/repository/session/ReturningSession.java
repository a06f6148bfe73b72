package dev.mover.repository.session;

import dev.mover.repository.link.LinkContext;
import dev.mover.repository.link.LinkRole;
import dev.mover.transport.frame.Resume;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A link that begins with RESUME: its session goes on where it was, or has ended and the link is
 * told how. Strand only; blocks.
 */
public record ReturningSession(
    LinkContext link, SessionServices services, Resume asked, Consumer<LinkRole> assume) {
  public void begin() {
    Optional<BackupSession> live =
        services.machines().find(asked.machine()).filter(s -> s.isCalled(asked.sessionId()));
    if (live.isPresent()) {
      live.get().resume(link, assume);
    } else {
      services.ended().tell(link, services, asked);
    }
  }
}
