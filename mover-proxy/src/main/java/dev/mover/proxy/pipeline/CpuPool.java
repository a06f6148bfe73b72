package dev.mover.proxy.pipeline;

import dev.mover.dedup.codec.BlockCodec;
import dev.mover.dedup.digest.BlockDigest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The CPU threads of a proxy: as many as cores, shared by all tasks. Each task has a {@link Lane}.
 * Workers take later stages first (a packed block frees memory, a hashed one asks for more) and go
 * round the lanes, so one task uses every core and many share them evenly.
 *
 * <p>A step is queued only when everything it needs is reserved, so a worker never waits for
 * memory, credit or a link. Queues have no bound of their own: each entry holds a block buffer, and
 * those are counted ({@code ProxyMemory}).
 */
public final class CpuPool implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(CpuPool.class);

  private final List<Thread> threads = new ArrayList<>();
  private final List<Lane> lanes = new ArrayList<>();
  private int next;
  private boolean closed;

  public CpuPool(int workers, Supplier<BlockCodec> codecs) {
    for (int i = 0; i < workers; i++) {
      threads.add(Thread.ofPlatform().daemon().name("cpu-" + i).start(() -> work(codecs)));
    }
  }

  /** What one worker thread has of its own. */
  public record Worker(BlockDigest digest, BlockCodec codec) {}

  /** A piece of CPU work. Must not throw and must not wait. */
  @FunctionalInterface
  public interface Step {
    void run(Worker worker);
  }

  /** One task's work, early steps (hash) and late ones (pack, unpack). */
  public final class Lane implements AutoCloseable {
    private final Deque<Step> early = new ArrayDeque<>();
    private final Deque<Step> late = new ArrayDeque<>();

    private Lane() {}

    public void early(Step step) {
      add(early, step);
    }

    public void late(Step step) {
      add(late, step);
    }

    private void add(Deque<Step> queue, Step step) {
      synchronized (CpuPool.this) {
        queue.add(step);
        CpuPool.this.notify();
      }
    }

    /** Takes the lane out of the round; steps still queued are run first. */
    @Override
    public void close() {
      synchronized (CpuPool.this) {
        if (!early.isEmpty() || !late.isEmpty()) {
          throw new IllegalStateException("lane closed with work in it");
        }
        lanes.remove(this);
      }
    }
  }

  public synchronized Lane lane() {
    Lane lane = new Lane();
    lanes.add(lane);
    return lane;
  }

  private void work(Supplier<BlockCodec> codecs) {
    try (BlockCodec codec = codecs.get()) {
      Worker worker = new Worker(new BlockDigest(), codec);
      Step step;
      while ((step = take()) != null) {
        try {
          step.run(worker);
        } catch (RuntimeException e) {
          log.error("a CPU step failed; its task will not end by itself", e);
        }
      }
    }
  }

  private synchronized @Nullable Step take() {
    while (true) {
      Step step = poll();
      if (step != null || closed) {
        return step;
      }
      try {
        wait();
      } catch (InterruptedException e) {
        throw new IllegalStateException("nobody interrupts CPU workers", e);
      }
    }
  }

  private @Nullable Step poll() {
    for (boolean late : new boolean[] {true, false}) {
      for (int i = 0; i < lanes.size(); i++) {
        Lane lane = lanes.get((next + i) % lanes.size());
        Step step = late ? lane.late.poll() : lane.early.poll();
        if (step != null) {
          next = (next + i + 1) % lanes.size();
          return step;
        }
      }
    }
    return null;
  }

  /** Ends the workers once all queued steps have run. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
