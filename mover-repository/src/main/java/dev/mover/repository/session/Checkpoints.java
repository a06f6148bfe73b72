package dev.mover.repository.session;

import dev.mover.api.block.BlockId;
import dev.mover.api.error.RepositoryException;
import dev.mover.dedup.index.BlockIndex;
import dev.mover.dedup.index.BlockPlace;
import dev.mover.repository.extent.Strand;
import dev.mover.repository.figures.Figures;
import dev.mover.repository.file.PartialFile;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Makes a session's slots durable and known to other sessions while it goes on storing: sync, then
 * index, then sync of the index. One at a time, on a thread of its own; everything else here is on
 * the strand.
 */
final class Checkpoints {
  /** What a session that dies may have to send again. */
  private static final long EVERY_BYTES = 1L << 30;

  private final PartialFile partial;
  private final KnownBlocks known;
  private final BlockIndex index;
  private final long everyNs;
  private final Executor syncs;
  private final Strand strand;
  private final TargetTimes times;
  private final Figures figures;
  private final Consumer<Long> onDurable;
  private final Consumer<Throwable> onFailure;
  private long lastBytes;
  private long lastNs = System.nanoTime();
  private boolean running;
  private boolean ending;

  /**
   * @param onDurable told on the strand how many bytes are durable
   * @param onFailure told of a failed sync, on the thread that synced
   */
  Checkpoints(
      PartialFile partial,
      KnownBlocks known,
      BlockIndex index,
      Duration every,
      Executor syncs,
      Strand strand,
      TargetTimes times,
      Figures figures,
      Consumer<Long> onDurable,
      Consumer<Throwable> onFailure) {
    this.partial = partial;
    this.known = known;
    this.index = index;
    this.everyNs = every.toNanos();
    this.syncs = syncs;
    this.strand = strand;
    this.times = times;
    this.figures = figures;
    this.onDurable = onDurable;
    this.onFailure = onFailure;
  }

  boolean isRunning() {
    return running;
  }

  /** Begins one when it is time. */
  void look() {
    boolean due =
        partial.storedBytes() - lastBytes >= EVERY_BYTES
            || System.nanoTime() - lastNs >= everyNs
            || known.isFull();
    if (due) {
      begin();
    }
  }

  /** Begins the last one of a session that ends without a commit, once; then there is none. */
  void beginLast() {
    if (!ending) {
      ending = true;
      begin();
    }
  }

  private void begin() {
    if (!running && known.hasUnindexed()) {
      long bytes = partial.storedBytes();
      running = true;
      times.syncBegins();
      lastBytes = bytes;
      Map<BlockId, BlockPlace> batch = known.beginIndexing();
      syncs.execute(() -> run(batch, bytes));
    }
  }

  private void run(Map<BlockId, BlockPlace> batch, long bytes) {
    long startNs = System.nanoTime();
    try {
      partial.sync();
      try {
        index.put(batch);
        index.sync();
      } catch (RepositoryException e) {
        strand.execute(() -> known.indexFailed(e));
      }
      figures.checkpointed(System.nanoTime() - startNs);
      strand.execute(() -> done(bytes));
    } catch (RuntimeException | Error e) {
      strand.execute(this::stop);
      onFailure.accept(e);
    }
  }

  private void done(long bytes) {
    stop();
    known.endIndexing();
    onDurable.accept(bytes);
  }

  private void stop() {
    running = false;
    times.syncEnds();
    lastNs = System.nanoTime();
  }
}
