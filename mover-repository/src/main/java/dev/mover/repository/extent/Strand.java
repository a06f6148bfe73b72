package dev.mover.repository.extent;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the tasks of one link one after the other on a pool's threads, so that what belongs to the
 * link needs no lock. A task may block for as long as its pool allows; {@link #moveTo} puts the
 * rest on another pool, for example before a long commit. Its queue is bounded by the protocol:
 * frames wait in the link, and every other caller queues one task at a time.
 *
 * <p>Once its pool is closed it drops what comes: the repository has waited for every link to end
 * by then, and only a link's last words can still be under way.
 */
public final class Strand implements Executor {
  private static final Logger LOG = LoggerFactory.getLogger(Strand.class);

  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private Executor pool;
  private boolean scheduled;
  private boolean over;

  public Strand(Executor pool) {
    this.pool = pool;
  }

  /** Tasks not yet begun run on {@code other} from now on. */
  public void moveTo(Executor other) {
    synchronized (tasks) {
      pool = other;
    }
  }

  /** Never blocks, never fails because of the task. */
  @Override
  public void execute(Runnable task) {
    Executor on = null;
    synchronized (tasks) {
      if (over) {
        return;
      }
      tasks.add(task);
      if (!scheduled) {
        scheduled = true;
        on = pool;
      }
    }
    if (on != null) {
      goOn(on);
    }
  }

  private void goOn(Executor on) {
    try {
      on.execute(this::drain);
    } catch (ExtentPool.Closed e) {
      LOG.debug("a link's task came after the end: {}", e.getMessage());
      synchronized (tasks) {
        over = true;
        tasks.clear();
      }
    }
  }

  private void drain() {
    Executor here;
    synchronized (tasks) {
      here = pool;
    }
    while (true) {
      Runnable task = nextOn(here);
      if (task == null) {
        return;
      }
      run(task);
    }
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      LOG.error("a task of a link failed; the link goes on", e);
    }
  }

  /** The next task, or null when there is none or the strand was moved and goes on elsewhere. */
  private @Nullable Runnable nextOn(Executor here) {
    Executor elsewhere;
    synchronized (tasks) {
      if (tasks.isEmpty()) {
        scheduled = false;
        return null;
      }
      if (pool.equals(here)) {
        return tasks.poll();
      }
      elsewhere = pool;
    }
    goOn(elsewhere);
    return null;
  }
}
