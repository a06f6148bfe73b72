package dev.mover.repository.serve;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.point.RestorePoint;
import dev.mover.api.point.Verdict;
import dev.mover.api.point.Verdict.Outcome;
import dev.mover.repository.catalogue.PointList;
import dev.mover.repository.extent.ExtentLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks through the points of a repository for rot, in the background, structure and every slot,
 * when the last check of one is older than the interval. What it finds damaged goes where a
 * verification's findings go, into the damage log; when it looked, into the catalogue. Within a
 * round a slot that many points share is read once.
 *
 * <p>One thread of its own, which is never interrupted. Thread-safe; {@link #close} waits for the
 * read under way.
 */
public final class Scrub implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Scrub.class);

  /** How long nothing is looked for when nothing was due, at most. */
  private static final long LOOK_MS = 600_000;

  private static final long MS_NS = 1_000_000;
  private static final int PAGE = 256;

  private final ServeServices services;
  private final ScrubPace pace;
  private final PointVerifier verifier;
  private Duration interval = Duration.ZERO;
  private @Nullable Thread thread;
  private volatile @Nullable Path reading;
  private final LongAdder checkedPoints = new LongAdder();
  private final LongAdder damagedPoints = new LongAdder();
  private volatile @Nullable Instant lastRoundAt;

  public Scrub(ServeServices services) {
    this.services = services;
    this.pace = new ScrubPace(services.threads().foreground());
    this.verifier = new PointVerifier(services, pace);
  }

  /**
   * Puts a plan in force and begins.
   *
   * @param newInterval how old a point's last check may get; zero: no scrub
   * @param bytesPerSec most it reads; 0: no limit
   */
  public synchronized void plan(Duration newInterval, long bytesPerSec) {
    pace.limit(bytesPerSec);
    interval = newInterval;
    if (thread == null && newInterval.isPositive() && !pace.isOver()) {
      Thread started = Thread.ofPlatform().daemon().name("extent-scrub").unstarted(this::work);
      thread = started;
      started.start();
    }
    notifyAll();
  }

  public ScrubStatus status() {
    Path at = reading;
    return new ScrubStatus(
        interval(),
        pace.bytesPerSec(),
        Optional.ofNullable(at).map(p -> services.layout().root().relativize(p).toString()),
        at != null && services.threads().foreground().isBusy(),
        pace.readBytes(),
        checkedPoints.sum(),
        damagedPoints.sum(),
        Optional.ofNullable(lastRoundAt));
  }

  private synchronized Duration interval() {
    return interval;
  }

  private void work() {
    while (!pace.isOver()) {
      try {
        Duration every = interval();
        if (every.isPositive()) {
          round(every);
        }
      } catch (MoverException e) {
        if (e.code() != ErrorCode.CANCELLED) {
          LOG.warn("the scrub goes on later: {}", e.getMessage());
        }
      } catch (RuntimeException e) {
        LOG.error("the scrub failed unexpectedly and goes on later", e);
      }
      rest();
    }
  }

  /** Until it is worth looking again, or there is another plan. */
  private synchronized void rest() {
    long untilNs = System.nanoTime() + Math.clamp(interval.toMillis(), 1, LOOK_MS) * MS_NS;
    long leftMs = (untilNs - System.nanoTime()) / MS_NS + 1;
    Duration planned = interval;
    while (leftMs > 0 && interval.equals(planned) && !pace.isOver()) {
      try {
        wait(leftMs);
      } catch (InterruptedException e) {
        LOG.debug("a scrub takes no interrupts; it is closed", e);
      }
      leftMs = (untilNs - System.nanoTime()) / MS_NS;
    }
  }

  /**
   * Checks the points, when one of them is due: then all that are nearly due as well, because what
   * they share is read once in a round. Blocks as long as that takes.
   *
   * @param every how old a point's last check may get; its commit counts as one
   * @return how many it checked
   * @throws MoverException CANCELLED when closed meanwhile; others say what it lacks
   */
  public long round(Duration every) {
    PointList points = services.points().get();
    if (!points.remembersChecks() || points(points).noneMatch(p -> isOlder(p, every))) {
      return 0; // without a catalogue nobody would know what was done
    }
    Origins origins = new Origins();
    long checked = 0;
    Iterator<RestorePoint> all = points(points).iterator();
    while (all.hasNext()) {
      RestorePoint point = all.next();
      if (isOlder(point, every.dividedBy(2))) {
        checked += check(points, point, origins) ? 1 : 0;
      }
    }
    lastRoundAt = services.clock().instant();
    return checked;
  }

  /** Every point, fetched page by page. */
  private static Stream<RestorePoint> points(PointList points) {
    return Stream.iterate(
            points.after("", "", 0, PAGE),
            page -> !page.isEmpty(),
            page ->
                points.after("", page.getLast().machine().value(), page.getLast().sequence(), PAGE))
        .flatMap(List::stream);
  }

  /** A check in the future, by a clock that was set back since, is none. */
  private boolean isOlder(RestorePoint point, Duration age) {
    Instant now = services.clock().instant();
    Instant last = point.checkedAt().equals(Instant.EPOCH) ? point.createdAt() : point.checkedAt();
    return last.isAfter(now) || !last.plus(age).isAfter(now);
  }

  /** False when the point is deleted meanwhile, or was. */
  private boolean check(PointList points, RestorePoint point, Origins origins) {
    Path path =
        ExtentLayout.point(
            services.layout().machine(point.machine()), point.sequence(), point.fileId());
    if (!services.threads().foreground().scrubBegins(path)) {
      return false;
    }
    reading = path;
    Verdict verdict;
    try {
      pace.checkOver();
      verdict =
          verifier
              .verify(
                  path,
                  (open, damaged) -> new ScrubPass(services, open, damaged, origins, pace).run())
              .verdict();
    } catch (RepositoryException e) {
      if (e.code() == ErrorCode.NO_SUCH_POINT) {
        return false;
      }
      throw e;
    } finally {
      reading = null;
      services.threads().foreground().scrubEnded();
    }
    if (Files.notExists(path)) {
      return false;
    }
    points.looked(point.machine().value(), path);
    points.checked(path, services.clock().instant());
    count(path, verdict);
    return true;
  }

  private void count(Path path, Verdict verdict) {
    checkedPoints.increment();
    if (verdict.outcome() != Outcome.SOUND) {
      damagedPoints.add(verdict.outcome() == Outcome.DAMAGED ? 1 : 0);
      LOG.warn(
          "the scrub found {} {}: {} findings, the first: {}",
          path,
          verdict.outcome(),
          verdict.findingCount(),
          verdict.findings().getFirst());
    }
  }

  @Override
  public void close() {
    pace.over();
    Thread running;
    synchronized (this) {
      notifyAll();
      running = thread;
    }
    while (running != null && running.isAlive()) {
      try {
        running.join();
      } catch (InterruptedException e) {
        LOG.debug("closing a scrub takes no interrupts", e);
      }
    }
  }
}
