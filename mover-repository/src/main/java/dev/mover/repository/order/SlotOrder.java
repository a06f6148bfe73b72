package dev.mover.repository.order;

import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.memory.BufferSet;
import dev.mover.repository.extent.ExtentError;
import dev.mover.repository.extent.ExtentFile;
import dev.mover.repository.extent.ExtentFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Sorts slot uses: chunks of 64 Ki are sorted in memory (about 6 MiB of heap) and, when there is
 * more than one, spilled to a scratch file that has no name any more, then merged through one
 * buffer of 1 MiB. 16 TiB at 1 MiB are 256 chunks and 0.9 GB of scratch. Used by one thread;
 * blocks.
 *
 * <p>{@link #add} all, then {@link #next} until null, then {@link #close}.
 */
public final class SlotOrder implements AutoCloseable {
  static final int CHUNK = 64 << 10;
  private static final int MERGE_BYTES = 1 << 20;
  private static final int SPILL_RECORDS = MERGE_BYTES / SlotUse.BYTES;

  private final ExtentFiles files;
  private final Path scratchPath;
  private final BufferPool pool;
  private final int chunkSize;
  private final List<Long> chunkLengths = new ArrayList<>();
  private final PriorityQueue<Run> merge =
      new PriorityQueue<>(Comparator.comparing(Run::head, SlotUse.ORDER));
  private List<SlotUse> chunk = new ArrayList<>();
  private @Nullable ExtentFile scratch;
  private @Nullable BufferSet memory;
  private @Nullable BlockBuffer buffer;
  private long count;
  private int served = -1;

  /**
   * @param scratchPath where to spill; the name is free again at once
   */
  public SlotOrder(ExtentFiles files, Path scratchPath, BufferPool pool) {
    this(files, scratchPath, pool, CHUNK);
  }

  SlotOrder(ExtentFiles files, Path scratchPath, BufferPool pool, int chunkSize) {
    this.files = files;
    this.scratchPath = scratchPath;
    this.pool = pool;
    this.chunkSize = chunkSize;
  }

  public void add(SlotUse use) {
    if (chunk.size() == chunkSize) {
      spill();
    }
    chunk.add(use);
    count++;
  }

  /** How many were added. */
  public long count() {
    return count;
  }

  /** The next use in order, null after the last. */
  public @Nullable SlotUse next() {
    if (served < 0) {
      prepare();
      served = 0;
    }
    if (chunkLengths.isEmpty()) {
      return served < chunk.size() ? chunk.get(served++) : null;
    }
    Run run = merge.poll();
    if (run == null) {
      return null;
    }
    SlotUse head = run.head();
    if (run.advance()) {
      merge.add(run);
    }
    return head;
  }

  private void prepare() {
    if (chunkLengths.isEmpty()) {
      chunk.sort(SlotUse.ORDER);
      return;
    }
    spill();
    chunk = List.of();
    int share = MERGE_BYTES / chunkLengths.size() / SlotUse.BYTES * SlotUse.BYTES;
    if (share == 0) {
      throw new IllegalStateException("more than a billion slots in one sort");
    }
    long from = 0;
    for (int i = 0; i < chunkLengths.size(); i++) {
      Run run = new Run(from, from + chunkLengths.get(i), buffer().bytes(i * share, share));
      if (run.advance()) {
        merge.add(run);
      }
      from += chunkLengths.get(i);
    }
  }

  private void spill() {
    chunk.sort(SlotUse.ORDER);
    for (int from = 0; from < chunk.size(); from += SPILL_RECORDS) {
      List<SlotUse> part = chunk.subList(from, Math.min(from + SPILL_RECORDS, chunk.size()));
      ByteBuffer out = buffer().bytes();
      part.forEach(use -> use.write(out));
      long at = spilledBytes() + (long) from * SlotUse.BYTES;
      try {
        scratch().write(out.flip(), at);
      } catch (IOException e) {
        throw ExtentError.writing(scratchPath.toString(), out.limit(), e);
      }
    }
    chunkLengths.add((long) chunk.size() * SlotUse.BYTES);
    chunk.clear();
  }

  private long spilledBytes() {
    return chunkLengths.stream().mapToLong(Long::longValue).sum();
  }

  private ExtentFile scratch() throws IOException {
    ExtentFile open = scratch;
    if (open == null) {
      open = files.scratch(scratchPath);
      scratch = open;
      files.delete(scratchPath); // the descriptor is enough, and a crash leaves nothing
    }
    return open;
  }

  private BlockBuffer buffer() {
    BlockBuffer lent = buffer;
    if (lent == null) {
      BufferSet leased = pool.lease(MERGE_BYTES, 1, () -> {});
      memory = leased;
      lent = Objects.requireNonNull(leased.tryTake(), "a fresh lease has buffers");
      buffer = lent;
    }
    return lent;
  }

  @Override
  public void close() {
    if (buffer != null) {
      buffer.release();
      buffer = null;
    }
    if (memory != null) {
      memory.close();
    }
    if (scratch != null) {
      scratch.close();
    }
  }

  /** One sorted chunk being read back. */
  private final class Run {
    private final long end;
    private final ByteBuffer bytes;
    private long at;
    private @Nullable SlotUse head;

    Run(long from, long end, ByteBuffer bytes) {
      this.at = from;
      this.end = end;
      this.bytes = bytes.limit(0);
    }

    SlotUse head() {
      return Objects.requireNonNull(head, "a run in the merge has a head");
    }

    boolean advance() {
      if (!bytes.hasRemaining() && !load()) {
        return false;
      }
      head = SlotUse.read(bytes);
      return true;
    }

    private boolean load() {
      if (at == end) {
        return false;
      }
      bytes.clear().limit((int) Math.min(bytes.capacity(), end - at));
      try {
        at += scratch().read(bytes, at);
      } catch (IOException e) {
        throw ExtentError.reading(scratchPath.toString(), e);
      }
      bytes.flip();
      return true;
    }
  }
}
