package dev.mover.transport.inprocess;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * One direction of an in-process link: runs steps in their order on one thread of its own, the
 * transport's thread of the receiving end. Reactor's thread, so that BlockHound watches it.
 *
 * <p>A step may be delayed, then it delays those behind it: each timer that fires runs the oldest
 * step, whichever timer that is. {@link #carry} refuses when {@link #CAPACITY} frames are under
 * way; {@link #execute} never does and is for the few steps of a link's own life.
 */
final class Lane {
  private static final Logger log = LoggerFactory.getLogger(Lane.class);

  /** Frames under way; as many again may wait in the receiving end's mailbox. */
  static final int CAPACITY = 4096;

  private final Scheduler thread;
  private final Deque<Runnable> steps = new ArrayDeque<>();
  private final Disposable.Composite timers = Disposables.composite();
  private boolean stopped;

  Lane(String name) {
    thread = Schedulers.newSingle(name, true);
  }

  /** False when the lane is full. */
  boolean carry(Runnable step, long delayMicros) {
    return add(step, delayMicros, CAPACITY);
  }

  void execute(Runnable step) {
    add(step, 0, Integer.MAX_VALUE);
  }

  /**
   * Runs {@code step} after {@code delayMs}, out of order with the rest, if the lane still runs.
   */
  void after(long delayMs, Runnable step) {
    timers.add(thread.schedule(step, delayMs, TimeUnit.MILLISECONDS));
  }

  /** Nothing runs after the step that calls this. */
  void stop() {
    synchronized (steps) {
      stopped = true;
      steps.clear();
    }
    timers.dispose();
    // Not dispose(): that interrupts the running step.
    thread.disposeGracefully().subscribe(_ -> {}, e -> log.warn("a lane's thread did not end", e));
  }

  private boolean add(Runnable step, long delayMicros, int capacity) {
    synchronized (steps) {
      if (stopped) {
        return true; // the receiving end is gone, as bytes in a socket would be
      }
      if (steps.size() >= capacity) {
        return false;
      }
      steps.add(step);
    }
    try {
      var _ = thread.schedule(this::runOldest, delayMicros, TimeUnit.MICROSECONDS);
    } catch (RejectedExecutionException e) {
      log.trace("a step came after the link's end");
    }
    return true;
  }

  private void runOldest() {
    Runnable step;
    synchronized (steps) {
      step = steps.poll();
    }
    if (step != null) {
      step.run();
    }
  }
}
