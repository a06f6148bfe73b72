package dev.mover.repository.extent;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A few platform threads and a bounded queue. {@link #execute} is for event loops too: it takes a
 * monitor for a few instructions and never parks, which a JDK pool does when its lock is contended.
 * Threads start with the first tasks and stay until it is closed.
 */
final class ExtentPool implements Executor {
  private static final Logger LOG = LoggerFactory.getLogger(ExtentPool.class);

  private final String role;
  private final int most;
  private final int capacity;
  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final List<Thread> threads = new ArrayList<>();
  private int idle;
  private boolean closed;

  ExtentPool(String role, int most, int capacity) {
    this.role = role;
    this.most = most;
    this.capacity = capacity;
  }

  /** The pool was closed: there is nothing left to work on. */
  static final class Closed extends RejectedExecutionException {
    private static final long serialVersionUID = 1L;

    private Closed(String role) {
      super("the %s threads of the extent are closed".formatted(role));
    }
  }

  /**
   * Queues a task.
   *
   * @throws Closed when closed
   * @throws RejectedExecutionException when full: its users are bounded, so a defect
   */
  @Override
  public void execute(Runnable task) {
    synchronized (tasks) {
      if (closed) {
        throw new Closed(role);
      }
      if (tasks.size() == capacity) {
        throw new RejectedExecutionException(
            "the %s threads of the extent are overrun".formatted(role));
      }
      tasks.add(task);
      if (idle > 0) {
        tasks.notify();
      } else if (threads.size() < most) {
        Thread thread =
            Thread.ofPlatform()
                .daemon()
                .name("extent-" + role + "-" + (threads.size() + 1))
                .unstarted(this::work);
        threads.add(thread);
        thread.start();
      }
    }
  }

  private void work() {
    for (Runnable task = take(); task != null; task = take()) {
      try {
        task.run();
      } catch (RuntimeException | Error e) {
        LOG.error("a task of the {} threads failed", role, e);
      }
    }
  }

  private @Nullable Runnable take() {
    synchronized (tasks) {
      idle++;
      while (tasks.isEmpty() && !closed) {
        try {
          tasks.wait();
        } catch (InterruptedException e) {
          LOG.debug("{} threads take no interrupts; they are closed", role);
        }
      }
      idle--;
      return tasks.poll();
    }
  }

  /** Takes no more tasks and waits for those queued, until {@code deadlineNs}. */
  void close(long deadlineNs) {
    List<Thread> running;
    synchronized (tasks) {
      closed = true;
      tasks.notifyAll();
      running = List.copyOf(threads);
    }
    for (Thread thread : running) {
      while (thread.isAlive() && System.nanoTime() < deadlineNs) {
        try {
          thread.join(Math.max(1, (deadlineNs - System.nanoTime()) / 1_000_000));
        } catch (InterruptedException e) {
          LOG.debug("closing the {} threads takes no interrupts", role);
        }
      }
    }
  }
}
