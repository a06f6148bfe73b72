package dev.mover.proxy.pipeline;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.Codec;
import dev.mover.api.block.Envelope;
import dev.mover.dedup.cipher.BlockCipher;
import dev.mover.dedup.codec.BlockCodec;
import dev.mover.dedup.codec.Compression;
import dev.mover.dedup.digest.BlockDigest;
import dev.mover.transport.frame.BulkHeader;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
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

  private final List<CompletableFuture<Void>> ends = new ArrayList<>();
  private final List<Lane> lanes = new ArrayList<>();
  private int next;
  private boolean closed;

  /**
   * Starts the workers.
   *
   * @param codecs asked here, once a worker: what is wrong with them is the caller's to know, and
   *     no worker dies of it unseen
   */
  public CpuPool(int workers, Supplier<BlockCodec> codecs) {
    List<Worker> ready = new ArrayList<>();
    try {
      for (int i = 0; i < workers; i++) {
        ready.add(new Worker(new BlockDigest(), codecs.get(), new BlockCipher()));
      }
    } catch (RuntimeException | Error e) {
      ready.forEach(worker -> worker.codec.close());
      throw e;
    }
    ready.forEach(
        worker ->
            ends.add(
                CompletableFuture.runAsync(
                    () -> work(worker),
                    run -> Thread.ofPlatform().daemon().name("cpu-" + ends.size()).start(run))));
  }

  /** How many threads there are. */
  public int workers() {
    return ends.size();
  }

  /** What one worker thread has of its own. */
  public record Worker(BlockDigest digest, BlockCodec codec, BlockCipher cipher) {

    /**
     * Packs and encrypts a block into {@code out}, which is direct and as large as {@code plain},
     * and describes it. On return {@code out} holds the payload between position and limit.
     */
    BulkHeader pack(
        int disk,
        long block,
        BlockId id,
        ByteBuffer plain,
        ByteBuffer out,
        Compression compression,
        Encryption encryption) {
      Codec packed = codec.pack(plain, out, compression);
      out.flip();
      Envelope envelope =
          encryption.encrypt(
              cipher, packed, codec.encoder(compression), id, plain.remaining(), out);
      return new BulkHeader(
          BulkHeader.Kind.BLOCK,
          disk,
          block,
          id,
          packed,
          plain.remaining(),
          out.remaining(),
          digest.crc(out),
          envelope);
    }
  }

  /**
   * A piece of CPU work. Must not wait. What it throws goes to its lane; what it holds it has given
   * back by then.
   */
  @FunctionalInterface
  public interface Step {
    void run(Worker worker);
  }

  private record Job(Lane lane, Step step) {}

  /** One task's work, early steps (hash) and late ones (pack, unpack). */
  public final class Lane implements AutoCloseable {
    private final Deque<Step> early = new ArrayDeque<>();
    private final Deque<Step> late = new ArrayDeque<>();
    private final Consumer<Throwable> onFailure;

    private Lane(Consumer<Throwable> onFailure) {
      this.onFailure = onFailure;
    }

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

    /** Takes the lane out of the round; no step may be queued any more. */
    @Override
    public void close() {
      synchronized (CpuPool.this) {
        lanes.remove(this);
        if (!early.isEmpty() || !late.isEmpty()) {
          throw new IllegalStateException("lane closed with work in it");
        }
      }
    }
  }

  /**
   * A lane for one task.
   *
   * @param onFailure told on the worker's thread what a step threw; ends the task
   */
  public synchronized Lane lane(Consumer<Throwable> onFailure) {
    Lane lane = new Lane(onFailure);
    lanes.add(lane);
    return lane;
  }

  private void work(Worker worker) {
    try {
      Job job;
      while ((job = take()) != null) {
        run(job, worker);
      }
    } finally {
      worker.codec.close();
    }
  }

  /** A worker outlives whatever a step throws: it belongs to all tasks. */
  private static void run(Job job, Worker worker) {
    try {
      job.step.run(worker);
    } catch (Throwable e) {
      try {
        job.lane.onFailure.accept(e);
      } catch (Throwable again) {
        e.addSuppressed(again);
        log.error("a CPU step failed, and so did telling its task", e);
      }
    }
  }

  private synchronized @Nullable Job take() {
    while (true) {
      Job job = poll();
      if (job != null || closed) {
        return job;
      }
      try {
        wait();
      } catch (InterruptedException e) {
        log.warn("somebody interrupts a CPU worker; it goes on", e);
      }
    }
  }

  private @Nullable Job poll() {
    Job late = poll(lane -> lane.late);
    return late != null ? late : poll(lane -> lane.early);
  }

  private @Nullable Job poll(Function<Lane, Deque<Step>> stage) {
    for (int i = 0; i < lanes.size(); i++) {
      Lane lane = lanes.get((next + i) % lanes.size());
      Step step = stage.apply(lane).poll();
      if (step != null) {
        next = (next + i + 1) % lanes.size();
        return new Job(lane, step);
      }
    }
    return null;
  }

  /** Ends the workers once all queued steps have run, and waits for that; no interrupt ends it. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    ends.forEach(CompletableFuture::join);
  }
}
