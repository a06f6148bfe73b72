package dev.mover.repository.extent;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * The platform threads that wait for one extent, so that nobody else does. Each kind has its own
 * pool: a commit that clones for minutes holds up neither an offer nor a restore. No pool thread
 * ever waits for a peer.
 */
public final class ExtentThreads implements AutoCloseable {
  /** More than links, credit and buffers together allow to wait; a full queue is a defect. */
  private static final int QUEUE = 8192;

  private static final int CLOSE_SECONDS = 30;

  private final Foreground foreground = new Foreground();
  private final ExtentPool sessions = new ExtentPool("session", 4, QUEUE);
  private final ExtentPool commits = new ExtentPool("commit", 2, QUEUE);
  private final ExtentPool syncs = new ExtentPool("sync", 2, QUEUE);
  private final ExtentPool serving = new ExtentPool("serve", 4, QUEUE);
  private final ExtentPool checks = new ExtentPool("check", 2, QUEUE);
  private final ExtentPool removals = new ExtentPool("removal", 1, QUEUE);
  private final ExtentPool writers = new ExtentPool("write", 2, QUEUE);
  private final ExtentPool upkeep = new ExtentPool("upkeep", 1, QUEUE);
  private final ExtentPool readers = new ExtentPool("read", 4, QUEUE);

  /** What a scrub gives way to. */
  public Foreground foreground() {
    return foreground;
  }

  /** Strands of backup sessions: offers, maps, index. */
  public Executor sessions() {
    return sessions;
  }

  /** Strands while they commit. */
  public Executor commits() {
    return commits;
  }

  /** Checkpoints: fsync and index. */
  public Executor syncs() {
    return syncs;
  }

  /** Strands of readers: listings, maps, pumps. */
  public Executor serving() {
    return serving;
  }

  /** Strands of verifications. */
  public Executor checks() {
    return checks;
  }

  /** Deletion of points: one thread, so that no two removals meet. */
  public Executor removals() {
    return removals;
  }

  /** Slot writes. Two keep a device busy; more only queue there. */
  public Executor writers() {
    return writers;
  }

  /** What nobody waits for, and may take hours: it must look whether to stop. */
  public Executor upkeep() {
    return upkeep;
  }

  /** Slot reads of restores and verifications. */
  public Executor readers() {
    return readers;
  }

  /** Runs what was begun to its end, for at most {@value #CLOSE_SECONDS} s. */
  @Override
  public void close() {
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
    for (ExtentPool pool : pools()) {
      pool.close(deadlineNs);
    }
  }

  private List<ExtentPool> pools() {
    return List.of(sessions, serving, checks, removals, commits, syncs, upkeep, writers, readers);
  }
}
