package dev.mover.repository.extent;

import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The platform threads that wait for one extent, so that nobody else does. Each kind has its own
 * pool: a commit that clones for minutes holds up neither an offer nor a restore. No pool thread
 * ever waits for a peer.
 */
public final class ExtentThreads implements AutoCloseable {
  /** More than links, credit and buffers together allow to wait; a full queue is a defect. */
  private static final int QUEUE = 8192;

  private static final int CLOSE_SECONDS = 30;

  private final ExecutorService sessions = pool("session", 4);
  private final ExecutorService commits = pool("commit", 2);
  private final ExecutorService syncs = pool("sync", 2);
  private final ExecutorService serving = pool("serve", 4);
  private final ExecutorService checks = pool("check", 2);
  private final ExecutorService writers = pool("write", 2);
  private final ExecutorService readers = pool("read", 4);

  /** Strands of backup sessions: offers, maps, index. */
  public ExecutorService sessions() {
    return sessions;
  }

  /** Strands while they commit. */
  public ExecutorService commits() {
    return commits;
  }

  /** Checkpoints: fsync and index. */
  public ExecutorService syncs() {
    return syncs;
  }

  /** Strands of readers: listings, maps, pumps. */
  public ExecutorService serving() {
    return serving;
  }

  /** Strands of verifications. */
  public ExecutorService checks() {
    return checks;
  }

  /** Slot writes. Two keep a device busy; more only queue there. */
  public ExecutorService writers() {
    return writers;
  }

  /** Slot reads of restores and verifications. */
  public ExecutorService readers() {
    return readers;
  }

  /** Runs what was begun to its end, for at most {@value #CLOSE_SECONDS} s. */
  @Override
  public void close() {
    List<ExecutorService> all =
        List.of(sessions, serving, checks, commits, syncs, writers, readers);
    all.forEach(ExecutorService::shutdown);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
    boolean interrupted = false;
    for (ExecutorService pool : all) {
      try {
        if (!pool.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
          break;
        }
      } catch (InterruptedException e) {
        interrupted = true;
        break;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static ExecutorService pool(String role, int threads) {
    AtomicInteger number = new AtomicInteger();
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            30,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(QUEUE),
            task -> {
              Thread thread = new Thread(task, "extent-" + role + "-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }
}
