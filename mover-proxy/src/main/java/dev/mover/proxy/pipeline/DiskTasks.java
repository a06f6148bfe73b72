package dev.mover.proxy.pipeline;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Streams the disks of a session: each becomes a task on a thread of its own as soon as there are
 * slots for it. The session's own thread runs {@link #stream} and {@link #close}; the rest is
 * guarded by the monitor.
 */
final class DiskTasks implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(DiskTasks.class);

  private final Session session;
  private final SessionMonitor monitor;
  private final int disks;

  // Guarded by the monitor.
  private final Map<Integer, DiskTask> running = new HashMap<>();
  private final List<DiskTask> done = new ArrayList<>();

  // Used by the session's thread only.
  private final List<CompletableFuture<Void>> threads = new ArrayList<>();
  private int begun;

  DiskTasks(Session session) {
    this.session = session;
    this.monitor = session.monitor();
    this.disks = session.request().disks().size();
  }

  /** Blocks until every block of every disk is acknowledged. */
  void stream() {
    synchronized (monitor) {
      session.figures().begins();
    }
    while (!allEnded()) {
      while (mayBegin() && session.slots().tryTake()) {
        begin(begun++);
      }
      monitor.pauseUnless(this::allEnded);
      session.progress().tellTransfer(monitor, hasRunning() ? "" : session.slots().waitsFor());
    }
    synchronized (monitor) {
      monitor.check();
      session.figures().transferEnds();
    }
  }

  private boolean mayBegin() {
    synchronized (monitor) {
      return begun < disks && begun - done.size() < session.request().mostTasks();
    }
  }

  private boolean allEnded() {
    synchronized (monitor) {
      return done.size() == disks;
    }
  }

  private boolean hasRunning() {
    synchronized (monitor) {
      return !running.isEmpty();
    }
  }

  /** Starts one disk's task, which owns the slots just taken from here on. */
  private void begin(int disk) {
    DiskTask task;
    try {
      task = new DiskTask(session, disk, this::ended);
    } catch (Throwable e) {
      session.slots().giveBack();
      throw e;
    }
    synchronized (monitor) {
      running.put(disk, task);
      session.admission().join(task);
    }
    try {
      threads.add(
          CompletableFuture.runAsync(
              task::run, run -> Thread.ofPlatform().daemon().name("task-" + disk).start(run)));
    } catch (Throwable e) {
      task.close(); // it never ran: no thread to be had
      throw e;
    }
  }

  private void ended(DiskTask task) {
    synchronized (monitor) {
      running.remove(task.disk());
      session.admission().leave(task);
      done.add(task);
      monitor.notifyAll();
    }
    session.slots().giveBack(); // without our lock: it wakes other sessions
  }

  /** With the monitor held: says on a new link what the repository may not have heard. */
  void tellAgain() {
    done.forEach(DiskTask::tellAgain);
    running.values().forEach(DiskTask::tellAgain);
  }

  /** With the monitor held: whether this disk was streamed to its end. */
  boolean isDone(int disk) {
    return done.stream().anyMatch(task -> task.disk() == disk);
  }

  /** With the monitor held: the task of this disk, null when none runs. */
  @Nullable DiskTask find(int disk) {
    return running.get(disk);
  }

  /** Waits until no task runs, whatever became of them; no interrupt ends it. */
  @Override
  public void close() {
    CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new))
        .handle(
            (_, error) -> {
              if (error != null) {
                log.error("a task did not end as it should", error);
              }
              return this;
            })
        .join();
  }
}
