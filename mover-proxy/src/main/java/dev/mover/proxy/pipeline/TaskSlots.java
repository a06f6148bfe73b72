package dev.mover.proxy.pipeline;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The task slots of a proxy, shared out fairly: a slot that comes free goes to the waiting holder
 * with the fewest slots, among equals to the one that has waited longest. Who needs several at once
 * is not overtaken while they come together.
 *
 * <p>A slot stands for its share of the block memory ({@code ProxyMemory}), so whoever has its
 * slots never waits for memory. Thread-safe; nothing here blocks.
 */
public final class TaskSlots {
  private static final String WAITS = "waiting for a task slot of this proxy";

  private final List<Holder> waiting = new ArrayList<>();
  private final int most;
  private int total;

  /** Below zero while more is held than a lowered limit allows. */
  private int free;

  public TaskSlots(int slots) {
    most = slots;
    total = slots;
    free = slots;
  }

  /**
   * Shares out fewer slots from now on, or more again; what is held stays held. Call without a lock
   * that any holder's listener takes.
   *
   * @param slots 1 to what there are
   */
  public void limit(int slots) {
    if (slots < 1 || slots > most) {
      throw new IllegalArgumentException(slots + " of " + most + " task slots");
    }
    List<Holder> served;
    synchronized (this) {
      free += slots - total;
      total = slots;
      served = serve();
    }
    served.forEach(holder -> holder.onGranted.run());
  }

  /**
   * A session's account.
   *
   * @param weight slots one task takes
   * @param onGranted called when a refused {@link Holder#tryTake} would succeed now; on the thread
   *     of whoever gave slots back, no lock held
   */
  public Holder holder(int weight, Runnable onGranted) {
    return new Holder(weight, onGranted);
  }

  /** The slots of one session: taken and given back a task at a time. */
  public final class Holder implements AutoCloseable {
    private final int weight;
    private final Runnable onGranted;

    /** Slots this holder has, those it was granted and did not fetch yet included. */
    private int held;

    private boolean granted;

    private Holder(int weight, Runnable onGranted) {
      this.weight = weight;
      this.onGranted = onGranted;
    }

    /** Takes one task's slots, or queues for them and returns false. */
    public boolean tryTake() {
      synchronized (TaskSlots.this) {
        if (granted) {
          granted = false;
          return true;
        }
        if (!waiting.contains(this)) {
          waiting.add(this);
        }
        return next() == this && grant(this);
      }
    }

    /** What it waits for and where in the line, for people: the order is that of this moment. */
    public String waitsFor() {
      synchronized (TaskSlots.this) {
        int place = inTurn().indexOf(this) + 1;
        return place == 0 ? WAITS : "%s, position %d of %d".formatted(WAITS, place, waiting.size());
      }
    }

    /** Gives one task's slots back. Call without a lock that any holder's listener takes. */
    public void giveBack() {
      List<Holder> served;
      synchronized (TaskSlots.this) {
        put(this);
        served = serve();
      }
      served.forEach(holder -> holder.onGranted.run());
    }

    /** Leaves the queue; what was granted and not fetched goes to others. As {@link #giveBack}. */
    @Override
    public void close() {
      List<Holder> served;
      synchronized (TaskSlots.this) {
        waiting.remove(this);
        if (granted) {
          granted = false;
          put(this);
        }
        served = serve();
      }
      served.forEach(holder -> holder.onGranted.run());
    }
  }

  /** Grants what is free, in turn. */
  private List<Holder> serve() {
    List<Holder> served = new ArrayList<>();
    while (!waiting.isEmpty()) {
      Holder next = next();
      if (!grant(next)) {
        break;
      }
      next.granted = true;
      served.add(next);
    }
    return served;
  }

  private Holder next() {
    return inTurn().getFirst();
  }

  private List<Holder> inTurn() {
    return waiting.stream().sorted(Comparator.comparingInt(h -> h.held)).toList();
  }

  private boolean grant(Holder holder) {
    // Who needs more than the limit allows runs alone.
    if (free < holder.weight && free < total) {
      return false;
    }
    waiting.remove(holder);
    free -= holder.weight;
    holder.held += holder.weight;
    return true;
  }

  private void put(Holder holder) {
    free += holder.weight;
    holder.held -= holder.weight;
  }
}
