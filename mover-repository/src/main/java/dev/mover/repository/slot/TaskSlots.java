package dev.mover.repository.slot;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The task slots of a repository and of its extent, shared out fairly: a slot goes to the waiting
 * session with the fewest running tasks, among equals to the one that has waited longest; within a
 * session first come is first served. A task also needs receive memory of its session; only a
 * session that holds some already may pass one that waits for it, otherwise the two could wait for
 * each other. Restores need no slot.
 *
 * <p>Thread-safe; callbacks run on the thread that made the change, outside the lock, and must not
 * block.
 */
public final class TaskSlots {
  private static final int MOST_NAMES = 3;

  private static final Comparator<Turn> FAIR =
      Comparator.comparingInt((Turn t) -> t.running).thenComparingLong(t -> t.head.ticket);

  private final Set<Session> active = new LinkedHashSet<>();
  private final Deque<Resumption> resumptions = new ArrayDeque<>();
  private volatile SlotLimits limits;
  private volatile int sessions;
  private volatile boolean resuming;
  private long tickets;
  private int running;
  private int queued;
  private int mostEver;
  private String inUse = "";

  public TaskSlots(SlotLimits limits) {
    this.limits = limits;
  }

  /** Told what becomes of a request. */
  public interface Waiter {
    /** Its place is another; not told again until {@link Request#place} was asked. */
    void moved();

    void granted(long creditBytes);
  }

  /**
   * Where a request stands.
   *
   * @param position 1: next
   * @param reason what it waits for and who has that, in words
   */
  public record Place(int position, String reason) {}

  /** All tasks of one backup session. */
  public final class Session {
    private final String machine;
    private final ReceiveMemory memory;
    private final Deque<Request> waiting = new ArrayDeque<>();
    private int tasks;

    private Session(String machine, ReceiveMemory memory) {
      this.machine = machine;
      this.memory = memory;
    }

    /** Asks for a slot; the answer may come before this returns. */
    public Request request(Waiter waiter) {
      Request request;
      synchronized (TaskSlots.this) {
        request = new Request(this, waiter, tickets++);
        waiting.add(request);
        active.add(this);
        countSessions();
        queued++;
      }
      dispatch();
      return request;
    }

    /**
     * Waits for memory a commit gave away, before anybody gets memory for a first task; then runs
     * {@code then}, perhaps before this returns.
     *
     * @param sets as {@link ReceiveMemory#suspend} said
     */
    public void resume(int sets, Runnable then) {
      synchronized (TaskSlots.this) {
        resumptions.add(new Resumption(this, sets, then));
        countSessions();
      }
      dispatch();
    }

    /** Waits for memory no more. */
    public void stopResuming() {
      synchronized (TaskSlots.this) {
        resumptions.removeIf(waiting -> waiting.session.equals(this));
        countSessions();
      }
      dispatch();
    }

    public int running() {
      synchronized (TaskSlots.this) {
        return tasks;
      }
    }

    public int queued() {
      synchronized (TaskSlots.this) {
        return waiting.size();
      }
    }
  }

  /** A session that is to send again what its commit could not link. */
  private record Resumption(Session session, int sets, Runnable then) {}

  /** A place in the queue, or a slot. Closing gives up either; later calls do nothing. */
  public final class Request implements AutoCloseable {
    private final Session session;
    private final Waiter waiter;
    private final long ticket;
    private State state = State.WAITING;
    private int position;
    private int toldPosition;
    private String toldUse = "";
    private boolean untold;

    private Request(Session session, Waiter waiter, long ticket) {
      this.session = session;
      this.waiter = waiter;
      this.ticket = ticket;
    }

    /** Where it stands now; null when it waits no more. */
    public @Nullable Place place() {
      synchronized (TaskSlots.this) {
        untold = false;
        return state == State.WAITING ? new Place(position, reason(position)) : null;
      }
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

  /** A session's tasks as one party of the queue. */
  public Session session(String machine, ReceiveMemory memory) {
    return new Session(machine, memory);
  }

  /** From now on; what runs beyond a lower limit goes on to its end. */
  public void limit(SlotLimits now) {
    synchronized (this) {
      limits = now;
    }
    dispatch();
  }

  /** Without a lock, so for everybody. */
  public SlotLimits limits() {
    return limits;
  }

  /**
   * How many share what there is: tasks that may run, or sessions when they are more; no lock.
   * While a session waits to resume, so many that nobody is due more than the least: what it had
   * may be most of the pool, and others would else keep it until they have ended.
   */
  public int sharers() {
    return resuming ? Integer.MAX_VALUE : Math.max(limits.tasks(), sessions);
  }

  /** Looks again: memory came back to the pool. */
  public void memoryReturned() {
    synchronized (this) {
      if (queued == 0 && resumptions.isEmpty()) {
        return;
      }
    }
    dispatch();
  }

  public synchronized int running() {
    return running;
  }

  public synchronized int queued() {
    return queued;
  }

  public synchronized int mostEver() {
    return mostEver;
  }

  private void leave(Request request) {
    synchronized (this) {
      Session session = request.session;
      switch (request.state) {
        case WAITING -> {
          session.waiting.remove(request);
          queued--;
        }
        case RUNNING -> {
          running--;
          session.tasks--;
          session.memory.endTask();
        }
        case LEFT -> {
          return;
        }
      }
      request.state = State.LEFT;
      if (session.tasks == 0 && session.waiting.isEmpty()) {
        active.remove(session);
        countSessions();
      }
    }
    dispatch();
  }

  private void dispatch() {
    List<Runnable> news = new ArrayList<>();
    synchronized (this) {
      resumeAll(news);
      while (running < limits.tasks() && runOne(news)) {
        mostEver = Math.max(mostEver, running);
      }
      place(news);
    }
    news.forEach(Runnable::run);
  }

  private void resumeAll(List<Runnable> news) {
    while (!resumptions.isEmpty()) {
      Resumption first = resumptions.getFirst();
      if (!first.session.memory.tryResume(first.sets)) {
        return;
      }
      resumptions.remove();
      countSessions();
      news.add(first.then);
    }
  }

  private void countSessions() {
    sessions = active.size() + resumptions.size();
    resuming = !resumptions.isEmpty();
  }

  /** Gives a slot to whose turn it is; false when nobody can use it. */
  private boolean runOne(List<Runnable> news) {
    boolean memoryIsShort = !resumptions.isEmpty();
    for (Turn turn : turns().stream().sorted(FAIR).toList()) {
      Session session = turn.session;
      if (memoryIsShort && !session.memory.holdsAny()) {
        continue; // even if little would do: it may not pass the one that waits for more
      }
      long credit = session.memory.beginTask();
      if (credit >= 0) {
        Request request = session.waiting.remove();
        request.state = State.RUNNING;
        session.tasks++;
        queued--;
        running++;
        news.add(() -> request.waiter.granted(credit));
        return true;
      }
      memoryIsShort = true;
    }
    return false;
  }

  /** Numbers everybody who waits, in the order in which slots would go to them. */
  private void place(List<Runnable> news) {
    if (queued == 0) {
      return;
    }
    inUse = inUse();
    PriorityQueue<Turn> turns = new PriorityQueue<>(FAIR);
    turns.addAll(turns());
    int position = 0;
    while (!turns.isEmpty()) {
      Turn turn = turns.remove();
      Request request = turn.head;
      request.position = ++position;
      boolean moved = request.toldPosition != position || !request.toldUse.equals(inUse);
      if (moved && !request.untold) {
        request.untold = true;
        news.add(request.waiter::moved);
      }
      request.toldPosition = position;
      request.toldUse = inUse;
      if (turn.next()) {
        turns.add(turn);
      }
    }
  }

  private List<Turn> turns() {
    return active.stream().filter(s -> !s.waiting.isEmpty()).map(Turn::new).toList();
  }

  /** A waiting session on its way through the queue. */
  private static final class Turn {
    private final Session session;
    private final Iterator<Request> waiting;
    private Request head;
    private int running;

    Turn(Session session) {
      this.session = session;
      this.running = session.tasks;
      this.waiting = session.waiting.iterator();
      this.head = waiting.next();
    }

    /** Supposes that it was served; false when it has nothing else to ask. */
    boolean next() {
      if (!waiting.hasNext()) {
        return false;
      }
      head = waiting.next();
      running++;
      return true;
    }
  }

  private String reason(int position) {
    return "waiting for %s, %s of %d; %s"
        .formatted(
            isMemoryShort() ? "repository memory" : limits.what(),
            ordinal(position),
            queued,
            inUse);
  }

  private boolean isMemoryShort() {
    return running < limits.tasks();
  }

  /** At most a few names: there may be many machines. */
  private String inUse() {
    List<String> names = active.stream().filter(s -> s.tasks > 0).map(s -> s.machine).toList();
    String who =
        names.size() <= MOST_NAMES
            ? String.join(", ", names)
            : "%s and %d more"
                .formatted(
                    String.join(", ", names.subList(0, MOST_NAMES)), names.size() - MOST_NAMES);
    String by = names.isEmpty() ? "" : " by " + who;
    return isMemoryShort()
        ? "it is in use" + by
        : "%d of %d in use%s".formatted(running, limits.tasks(), by);
  }

  private static String ordinal(int n) {
    String ending =
        n % 100 / 10 == 1
            ? "th"
            : switch (n % 10) {
              case 1 -> "st";
              case 2 -> "nd";
              case 3 -> "rd";
              default -> "th";
            };
    return n + ending;
  }
}
