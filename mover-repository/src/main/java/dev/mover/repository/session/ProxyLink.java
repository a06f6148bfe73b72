package dev.mover.repository.session;

import static java.util.Objects.requireNonNullElse;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import dev.mover.repository.link.LinkContext;
import dev.mover.transport.frame.Frame;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.scheduler.Schedulers;

/**
 * A session's way to its proxy: one link at a time, or none for a while.
 *
 * <pre>
 * linked ──lost──▶ away ──RESUME──▶ taking ──old link closed, writes and sync over──▶ linked
 *    │              ├ lendAfter: slots and memory go to others               ▲
 *    │              └ endAfter: the session ends                             │
 *    └──────────────RESUME: the proxy saw the loss first──────▶ taking ──────┘
 * </pre>
 *
 * <p>What is sent without a link is dropped: a proxy that comes back asks again for all it did not
 * hear. A link is taken only when nothing of the one before can arrive or be answered any more, so
 * what the proxy sends again meets a session that knows exactly what it has.
 *
 * <p>Strand only, but for what says otherwise.
 */
final class ProxyLink {
  private static final int LOOKS = 8;
  private static final Logger LOG = LoggerFactory.getLogger(ProxyLink.class);

  /** What coming and going means to the session; called on the strand. */
  interface Session {
    /** Whether nothing is being written or synced. */
    boolean isQuiet();

    /** There is no link; nothing may arrive until {@link #back}. */
    void away();

    /** Its slots and memory are for others now; it is quiet. */
    void lend();

    /** Nobody came back in time. */
    void giveUp(Duration waited);

    /** There is a link again; it is quiet. */
    void back(boolean lent);

    /** Whether nothing is under way here, and the next word is the proxy's. */
    boolean isProxysTurn();

    /** It said nothing for so long, though there is a link. */
    void silent(Duration since);
  }

  private final Session session;
  private final Executor strand;
  private final AwayTimes times;
  private final Clock clock;
  private final Disposable.Swap timers = Disposables.swap();
  private final Disposable.Swap silence = Disposables.swap();
  private long heardNs = System.nanoTime();
  private volatile @Nullable LinkContext current;
  private volatile @Nullable Instant awaySince;
  private volatile String peer;
  private volatile boolean over;
  private @Nullable LinkContext next;
  private int closing;
  private boolean lendDue;
  private boolean endDue;
  private boolean lent;

  /**
   * @param strand of the session, where what fails fails the session
   */
  ProxyLink(LinkContext first, Session session, Executor strand, AwayTimes times, Clock clock) {
    this.current = first;
    this.peer = first.peer();
    this.session = session;
    this.strand = strand;
    this.times = times;
    this.clock = clock;
  }

  /** The session is open: from here on its proxy must say something now and then. */
  void begin() {
    long lookMs = Math.max(1, times.silentAfter().toMillis() / LOOKS);
    silence.update(
        Schedulers.parallel()
            .schedulePeriodically(
                () -> strand.execute(this::lookForSilence), lookMs, lookMs, TimeUnit.MILLISECONDS));
  }

  /** The proxy said something. */
  void heard() {
    heardNs = System.nanoTime();
  }

  private void lookForSilence() {
    if (over || current == null || next != null || !session.isProxysTurn()) {
      heard();
    } else if (System.nanoTime() - heardNs > times.silentAfter().toNanos()) {
      session.silent(times.silentAfter());
    }
  }

  /** The proxy's address, at its last link; any thread. */
  String peer() {
    return peer;
  }

  void send(Frame frame) {
    LinkContext link = current;
    if (link != null) {
      link.send(frame);
    }
  }

  /** The cancel flag of everything done for the session; any thread. */
  boolean isOver() {
    return over;
  }

  void checkOver() {
    if (over) {
      throw MoverException.of(
          ErrorCode.CANCELLED, Side.REPOSITORY, "the session of " + peer + " ended meanwhile");
    }
  }

  /** Since when there is no link; null when there is one. Any thread. */
  @Nullable Instant awaySince() {
    return awaySince;
  }

  /** Whether its slots and memory are for others until somebody comes back. */
  boolean isLent() {
    return lent;
  }

  /** From when on its slots are, or were, for others; only while there is no link. */
  Instant lentFrom() {
    return requireNonNullElse(awaySince, clock.instant()).plus(times.lendAfter());
  }

  /**
   * Whether somebody who begins the machine's next session need not wait for this one's proxy: at
   * once when it is the same host, where the proxy was restarted, else when its slots are lent. Any
   * thread.
   */
  boolean mayBeForgottenFor(String other) {
    return awaySince != null
        && (host(other).equals(host(peer)) || !clock.instant().isBefore(lentFrom()));
  }

  private static String host(String peer) {
    int port = peer.lastIndexOf(':');
    return port < 0 ? peer : peer.substring(0, port);
  }

  /** Whether a link is the session's, or is about to be. */
  boolean isOurs(LinkContext link) {
    return link.equals(current) || link.equals(next);
  }

  boolean isCurrent(LinkContext link) {
    return link.equals(current);
  }

  /** The session ends: nobody is waited for any more. */
  void end() {
    over = true;
    waitNoMore();
  }

  /** The session has committed: who comes back is told so, and need not. */
  void waitNoMore() {
    timers.dispose();
    silence.dispose();
  }

  /** The session failed: tells whoever is there. False when nobody is. */
  boolean fail(MoverException cause) {
    LinkContext link = next != null ? next : current;
    if (link != null) {
      link.fail(cause);
    } else {
      LOG.warn("{}: {} ({})", peer, cause.getMessage(), cause.code());
    }
    return link != null;
  }

  /** Closes in good order: the proxy has ended the session. */
  void close() {
    LinkContext link = current;
    if (link != null) {
      link.link().close();
    }
  }

  /** One of the session's links was lost. */
  void lost(LinkContext link) {
    if (link.equals(next)) {
      next = null;
      startTimers();
    } else if (link.equals(current)) {
      LOG.info("{}: the link of a session was lost; it is waited for", peer);
      leave(link);
      startTimers();
    }
  }

  /** The proxy is back on another link, perhaps before the loss of the last one was seen here. */
  void take(LinkContext link) {
    LinkContext earlier = next;
    LinkContext old = current;
    next = link;
    peer = link.peer();
    lendDue = false;
    endDue = false;
    timers.update(Disposables.disposed());
    if (earlier != null) {
      earlier.link().abandon();
    }
    if (old != null) {
      leave(old);
      old.link().abandon();
    }
    look();
  }

  private void leave(LinkContext link) {
    current = null;
    awaySince = clock.instant();
    session.away();
    closing++;
    link.link()
        .onClose()
        .subscribe(
            _ -> {},
            e -> LOG.error("a link did not close", e),
            () ->
                strand.execute(
                    () -> {
                      closing--;
                      look();
                    }));
  }

  private void startTimers() {
    timers.update(
        Disposables.composite(
            after(
                times.lendAfter(),
                () -> {
                  lendDue = true;
                  look();
                }),
            after(
                times.endAfter(),
                () -> {
                  endDue = true;
                  look();
                })));
  }

  private Disposable after(Duration delay, Runnable step) {
    return Schedulers.parallel()
        .schedule(
            () -> strand.execute(() -> unlessBack(step)), delay.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void unlessBack(Runnable step) {
    if (!over && current == null && next == null) {
      step.run();
    }
  }

  /** Something came to its end: a link may be taken now, or slots lent. */
  void look() {
    if (endDue && !over) {
      session.giveUp(times.endAfter());
    }
    if (over || current != null || closing > 0 || !session.isQuiet()) {
      return;
    }
    if (next != null) {
      LinkContext link = Objects.requireNonNull(next);
      next = null;
      current = link;
      awaySince = null;
      boolean wasLent = lent;
      lent = false;
      LOG.info("{}: the session goes on", peer);
      session.back(wasLent);
    } else if (lendDue && !lent) {
      lent = true;
      session.lend();
    }
  }
}
