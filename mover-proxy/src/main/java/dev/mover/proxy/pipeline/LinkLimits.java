package dev.mover.proxy.pipeline;

import dev.mover.api.task.RateLimit;
import dev.mover.proxy.LinkRule;
import java.time.Clock;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What a proxy's links may carry, by address and time of day. A session asks before it lets a block
 * go on; while its link owes, it is refused, remembered in order, and woken when it may ask again.
 * Nothing waits here: one timer wakes, and the sessions do the rest.
 *
 * <p>Lock order: a session's monitor, then this object's. The timer wakes sessions without either.
 */
public final class LinkLimits implements AutoCloseable {
  /** Sooner than this the timer gains nothing: what is earned meanwhile is not lost. */
  private static final long LEAST_WAIT_NS = TimeUnit.MILLISECONDS.toNanos(1);

  /** So that a rule that ends, or begins, is noticed by who waits. */
  private static final long MOST_WAIT_NS = TimeUnit.SECONDS.toNanos(1);

  private final Clock clock;
  private final LongSupplier nanos;
  private final ScheduledThreadPoolExecutor timer;
  private final Map<String, RateLimit> limits = new HashMap<>();
  private final List<Line> waiting = new ArrayList<>();
  private List<LinkRule> rules = List.of();
  private volatile boolean ruled;
  private @Nullable ScheduledFuture<?> alarm;
  private long alarmNs;

  public LinkLimits(List<LinkRule> rules, Clock clock) {
    this(rules, clock, System::nanoTime);
  }

  LinkLimits(List<LinkRule> rules, Clock clock, LongSupplier nanos) {
    this.clock = clock;
    this.nanos = nanos;
    this.timer =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("link-limits").factory());
    timer.setRemoveOnCancelPolicy(true);
    set(rules);
  }

  /** One session's link: what it asks, and its place among those that wait. */
  final class Line implements AutoCloseable {
    private final String address;
    private final Runnable wake;
    private volatile boolean waits;
    private long askedBytes;

    private Line(String address, Runnable wake) {
      this.address = address;
      this.wake = wake;
    }

    /**
     * Whether {@code bytes} may be sent now; they are charged then. After a refusal the session is
     * woken when it is worth asking again, and must ask or {@link #close}: others let it pass.
     */
    boolean tryPass(long bytes) {
      return (!ruled && !waits) || pass(this, bytes);
    }

    /** Fewer were sent than charged. */
    void giveBack(long bytes) {
      if (ruled && bytes > 0) {
        unused(this, bytes);
      }
    }

    boolean isWaiting() {
      return waits;
    }

    /** What {@code bytes} take at the rate in force; 0 without a limit. */
    long timeNs(long bytes) {
      return ruled ? slowestNs(this, bytes) : 0;
    }

    @Override
    public void close() {
      leave(this);
    }
  }

  /**
   * A session's way to {@code address}.
   *
   * @param wake called on the timer's thread; must not block
   */
  Line line(String address, Runnable wake) {
    return new Line(address, wake);
  }

  /** Other rules, from now on. What a link owes it goes on owing. */
  public synchronized void set(List<LinkRule> now) {
    rules = List.copyOf(now);
    ruled = !rules.isEmpty();
    limits.keySet().removeIf(address -> rules.stream().noneMatch(r -> r.address().equals(address)));
    for (LinkRule rule : rules) {
      limits.computeIfAbsent(rule.address(), _ -> new RateLimit(RateLimit.NONE, nanos));
    }
    plan();
  }

  private synchronized boolean pass(Line line, long bytes) {
    line.askedBytes = bytes;
    boolean passes = waitNs(line) == 0 && !isSomebodyBefore(line);
    if (passes) {
      for (RateLimit limit : limitsOf(line)) {
        limit.tryTake(bytes);
      }
      waiting.remove(line);
    } else if (!line.waits) {
      waiting.add(line);
    }
    line.waits = !passes;
    plan();
    return passes;
  }

  /** Whether one that waits longer could go now: then it is that one's turn. */
  private boolean isSomebodyBefore(Line line) {
    for (Line other : waiting) {
      if (other.equals(line)) {
        return false;
      }
      if (waitNs(other) == 0) {
        return true;
      }
    }
    return false;
  }

  private synchronized void unused(Line line, long bytes) {
    limitsOf(line).forEach(limit -> limit.giveBack(bytes));
    plan();
  }

  private synchronized long slowestNs(Line line, long bytes) {
    return limitsOf(line).stream().mapToLong(limit -> limit.timeNs(bytes)).max().orElse(0);
  }

  private synchronized void leave(Line line) {
    waiting.remove(line);
    line.waits = false;
    plan();
  }

  private long waitNs(Line line) {
    return limitsOf(line).stream().mapToLong(l -> l.waitNs(line.askedBytes)).max().orElse(0);
  }

  /** The limits that hold for a link, at the rates of this minute. */
  private List<RateLimit> limitsOf(Line line) {
    List<RateLimit> held = new ArrayList<>(2);
    LocalDateTime now = LocalDateTime.now(clock);
    for (String address : List.of(line.address, LinkRule.EVERY)) {
      RateLimit limit = limits.get(address);
      if (limit != null) {
        long rate = rate(address, now);
        if (rate != limit.bytesPerSec()) {
          limit.set(rate);
        }
        held.add(limit);
      }
    }
    return held;
  }

  private long rate(String address, LocalDateTime now) {
    return rules.stream()
        .filter(rule -> rule.address().equals(address) && rule.holdsAt(now))
        .mapToLong(LinkRule::bytesPerSec)
        .min()
        .orElse(RateLimit.NONE);
  }

  /** Sets the timer to when the first of those that wait may go on. */
  private void plan() {
    if (waiting.isEmpty() || timer.isShutdown()) {
      return;
    }
    long waitNs = waiting.stream().mapToLong(this::waitNs).min().orElse(0);
    long inNs = Math.clamp(waitNs, LEAST_WAIT_NS, MOST_WAIT_NS);
    long atNs = System.nanoTime() + inNs;
    ScheduledFuture<?> set = alarm;
    if (set != null && !set.isDone() && alarmNs - atNs <= 0) {
      return; // it comes early enough, and plans again
    }
    if (set != null) {
      set.cancel(false);
    }
    alarmNs = atNs;
    alarm = timer.schedule(this::wake, inNs, TimeUnit.NANOSECONDS);
  }

  private void wake() {
    List<Line> due;
    synchronized (this) {
      alarm = null;
      due = waiting.stream().filter(line -> waitNs(line) == 0).toList();
      plan();
    }
    due.forEach(line -> line.wake.run());
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
