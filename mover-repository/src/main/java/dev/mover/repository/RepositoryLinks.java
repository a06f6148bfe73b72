package dev.mover.repository;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.repository.extent.Extent;
import dev.mover.repository.extent.ExtentThreads;
import dev.mover.repository.extent.Strand;
import dev.mover.repository.figures.Figures;
import dev.mover.repository.link.LinkContext;
import dev.mover.repository.link.LinkRole;
import dev.mover.transport.frame.BulkHeader;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.link.BulkReceiver;
import dev.mover.transport.link.FrameLink;
import dev.mover.transport.link.LinkServer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Accepts links and gives each a strand and, by its first frame, a role. This is the one place
 * where frames leave Reactor: {@code control} publishes on the strand, at most {@value #PREFETCH}
 * frames ahead, and the rest waits in the link's bounded mailbox.
 */
final class RepositoryLinks implements LinkServer, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RepositoryLinks.class);
  private static final int PREFETCH = 64;
  static final Duration CLOSE_WITHIN = Duration.ofSeconds(30);

  private final Extent extent;
  private final ExtentThreads threads;
  private final LinkRoles roles;
  private final Figures figures;
  private final Set<Served> live = ConcurrentHashMap.newKeySet();
  private volatile boolean draining;
  private volatile boolean closing;

  RepositoryLinks(Extent extent, ExtentThreads threads, LinkRoles roles, Figures figures) {
    this.extent = extent;
    this.threads = threads;
    this.roles = roles;
    this.figures = figures;
  }

  @Override
  public Identity identity() {
    return new Identity(extent.repositoryId(), extent.mode().label());
  }

  @Override
  public Session accept(String peer) {
    if (draining) {
      throw shuttingDown();
    }
    return new Served();
  }

  /** What whoever connects, or is connected still, is told. */
  RepositoryException shuttingDown() {
    return new RepositoryException(
        ErrorCode.SHUTTING_DOWN,
        "%s: the repository is being closed; connect again later"
            .formatted(extent.layout().root()));
  }

  /**
   * Lets nobody new in and waits until every link that is in use has ended.
   *
   * @return false when some had not by then
   */
  boolean drain(Duration deadline) {
    draining = true;
    live.forEach(Served::shutDownIfUnused);
    return awaitAllGone(deadline);
  }

  /** Fails every link and waits until each has given back what it held. */
  @Override
  public void close() {
    draining = true;
    closing = true;
    live.forEach(Served::shutDown);
    if (!awaitAllGone(CLOSE_WITHIN)) {
      LOG.error("{} links did not end within {}", live.size(), CLOSE_WITHIN);
    }
  }

  private boolean awaitAllGone(Duration within) {
    long deadline = System.nanoTime() + within.toNanos();
    synchronized (live) {
      while (!live.isEmpty() && System.nanoTime() - deadline < 0) {
        try {
          live.wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
        } catch (InterruptedException e) {
          LOG.debug("closing a repository takes no interrupts", e);
        }
      }
      return live.isEmpty();
    }
  }

  /** Whether neither side said why: the peer may come back on another link. */
  private static boolean isLoss(Throwable error) {
    return error instanceof MoverException e && e.code() == ErrorCode.LINK_LOST;
  }

  /** One link, from accept to end. */
  private final class Served implements Session, BulkReceiver {
    private final Strand strand = new Strand(threads.serving());
    private final Scheduler scheduler = Schedulers.fromExecutor(strand);
    private volatile BulkReceiver bulk = BulkReceiver.NONE;
    private volatile @Nullable LinkContext context;
    private @Nullable LinkRole role;
    private boolean ended;

    @Override
    public BulkReceiver receiver() {
      return this;
    }

    @Override
    public void start(FrameLink link) {
      LinkContext started = new LinkContext(link, strand, figures);
      context = started;
      live.add(this);
      link.onClose().subscribe(_ -> {}, _ -> started.over(), started::over);
      link.control()
          .publishOn(scheduler, PREFETCH)
          .subscribe(
              frame -> onFrame(started, frame),
              error -> onEnd(started, isLoss(error)),
              () -> onEnd(started, false));
      if (closing) {
        shutDown();
      } else if (draining) {
        shutDownIfUnused();
      }
    }

    private void onFrame(LinkContext link, Frame frame) {
      if (ended || link.isOver()) {
        return;
      }
      try {
        LinkRole taken = role;
        if (taken == null && draining) {
          throw shuttingDown();
        } else if (taken == null) {
          roles.take(link, frame, this::assume);
        } else {
          taken.onFrame(frame);
        }
      } catch (RuntimeException | Error e) {
        endRole();
        link.fail(e);
      }
    }

    private void assume(LinkRole taken) {
      role = taken;
      bulk = taken.receiver();
    }

    private void onEnd(LinkContext link, boolean lost) {
      link.over();
      link.link().close();
      LinkRole lives = role;
      if (lost && lives != null && !ended) {
        ended = true;
        lives.lost();
      } else {
        endRole();
      }
      LinkRole taken = role;
      if (taken == null) {
        gone();
      } else {
        taken.whenReleased(this::gone);
      }
    }

    private void endRole() {
      LinkRole taken = role;
      if (taken != null) {
        taken.end();
      }
      ended = true;
    }

    private void gone() {
      synchronized (live) {
        live.remove(this);
        live.notifyAll();
      }
    }

    private void shutDown() {
      LinkContext started = context;
      if (started != null) {
        strand.execute(
            () -> {
              started.fail(shuttingDown()); // told first: what ends with it must not be the reason
              endRole();
            });
      }
    }

    private void shutDownIfUnused() {
      strand.execute(
          () -> {
            if (role == null) {
              shutDown();
            }
          });
    }

    @Override
    public BlockBuffer lend(BulkHeader header) {
      return bulk.lend(header);
    }

    @Override
    public int payloadOffset() {
      return bulk.payloadOffset();
    }

    @Override
    public void arrived(BulkHeader header, BlockBuffer buffer) {
      bulk.arrived(header, buffer);
    }

    @Override
    public void dropped(BlockBuffer buffer) {
      bulk.dropped(buffer);
    }
  }
}
