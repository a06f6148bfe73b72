package dev.mover.repository.session;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.RepositoryException;
import dev.mover.repository.link.LinkContext;
import dev.mover.transport.frame.Committed;
import dev.mover.transport.frame.Resume;
import dev.mover.transport.frame.TargetFigures;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/**
 * How sessions ended, for proxies that did not hear of it: the link was lost first. The last ones
 * are kept as they were told; of older ones the catalogue knows which made a point, also after a
 * restart. Thread-safe; asking blocks.
 */
public final class EndedSessions {
  /** Each has at most 64 KiB of warnings. */
  private static final int MOST = 64;

  private final Map<UUID, Committed> committed = new LinkedHashMap<>();
  private final Map<UUID, MoverException> failed = new LinkedHashMap<>();

  synchronized void committed(UUID session, Committed answer) {
    keep(committed, session, answer);
  }

  synchronized void failed(UUID session, MoverException why) {
    keep(failed, session, why);
  }

  private static <T> void keep(Map<UUID, T> kept, UUID session, T end) {
    kept.put(session, end);
    if (kept.size() > MOST) {
      kept.remove(kept.keySet().iterator().next());
    }
  }

  /**
   * What a session answered its COMMIT.
   *
   * @throws RepositoryException NO_SUCH_POINT when it made no point
   */
  public Committed answer(SessionServices services, UUID session) {
    synchronized (this) {
      Committed known = committed.get(session);
      if (known != null) {
        return known;
      }
    }
    return services
        .catalogue()
        .bySession(session)
        .map(
            point ->
                new Committed(
                    point.sequence(),
                    point.fileId(),
                    point.fileBytes(),
                    point.newBytes(),
                    point.fileBytes() - point.newBytes(),
                    0,
                    0,
                    TargetFigures.NONE,
                    java.util.List.of()))
        .orElseThrow(
            () ->
                new RepositoryException(
                    ErrorCode.NO_SUCH_POINT,
                    "%s: session %s has not committed; run the backup again"
                        .formatted(services.extent().layout().root(), session)));
  }

  /** Tells a link how its session ended: its point, or why there is none. */
  void tell(LinkContext link, SessionServices services, Resume asked) {
    try {
      link.send(answer(services, asked.sessionId()));
    } catch (RepositoryException e) {
      link.fail(e.code() == ErrorCode.NO_SUCH_POINT ? why(asked) : e);
    }
  }

  private synchronized MoverException why(Resume asked) {
    MoverException known = failed.get(asked.sessionId());
    return known != null
        ? known
        : new RepositoryException(
            ErrorCode.SESSION_LOST,
            "%s: the repository no longer has the session that was running (it was restarted, or gave the session up); run the backup again: what it stored durably is not sent twice"
                .formatted(asked.machine()));
  }
}
