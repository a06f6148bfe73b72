package dev.mover.repository.slot;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * First come, first served over all sessions. A task runs when a slot is free and its session has
 * or gets receive memory. Only a session that already holds memory may pass one that waits for it:
 * otherwise the two could wait for each other. Thread-safe; callbacks run on the thread that made
 * the change, outside the lock, and must not block.
 */
public final class TaskSlots {
  private static final String NO_SLOT = "waiting for repository slot";
  private static final String NO_MEMORY = "waiting for repository memory";

  private final int most;
  private final List<Request> queue = new ArrayList<>();
  private int running;
  private int mostEver;

  public TaskSlots(int most) {
    this.most = most;
  }

  /** Told what becomes of a request. */
  public interface Waiter {
    void queued(int position, String reason);

    void granted(long creditBytes);
  }

  /**
   * One task's place in the queue, or its slot. Closing gives up either; later calls do nothing.
   */
  public final class Request implements AutoCloseable {
    private final ReceiveMemory memory;
    private final Waiter waiter;
    private int told;
    private State state = State.WAITING;

    private Request(ReceiveMemory memory, Waiter waiter) {
      this.memory = memory;
      this.waiter = waiter;
    }

    @Override
    public void close() {
      leave(this);
    }
  }

  private enum State {
    WAITING,
    RUNNING,
    LEFT
  }

  public Request request(ReceiveMemory memory, Waiter waiter) {
    Request request = new Request(memory, waiter);
    synchronized (this) {
      queue.add(request);
    }
    dispatch();
    return request;
  }

  /** Looks again: memory came back to the pool. */
  public void memoryReturned() {
    dispatch();
  }

  public synchronized int running() {
    return running;
  }

  public synchronized int queued() {
    return queue.size();
  }

  public synchronized int mostEver() {
    return mostEver;
  }

  private void leave(Request request) {
    synchronized (this) {
      switch (request.state) {
        case WAITING -> queue.remove(request);
        case RUNNING -> {
          running--;
          request.memory.endTask();
        }
        case LEFT -> {
          return;
        }
      }
      request.state = State.LEFT;
    }
    dispatch();
  }

  private void dispatch() {
    List<Runnable> news = new ArrayList<>();
    synchronized (this) {
      Iterator<Request> waiting = queue.iterator();
      while (running < most && waiting.hasNext()) {
        Request request = waiting.next();
        long credit = request.memory.beginTask();
        if (credit >= 0) {
          waiting.remove();
          request.state = State.RUNNING;
          running++;
          mostEver = Math.max(mostEver, running);
          news.add(() -> request.waiter.granted(credit));
        }
      }
      tellPositions(news);
    }
    news.forEach(Runnable::run);
  }

  private void tellPositions(List<Runnable> news) {
    String reason = running < most ? NO_MEMORY : NO_SLOT;
    int position = 0;
    for (Request request : queue) {
      int now = ++position;
      if (request.told != now) {
        request.told = now;
        news.add(() -> request.waiter.queued(now, reason));
      }
    }
  }
}
