package dev.mover.proxy.restore;

import static java.util.Objects.requireNonNull;

import dev.mover.api.block.BlockId;
import dev.mover.api.error.DataException;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferSet;
import dev.mover.proxy.Progress;
import dev.mover.proxy.ProxyMemory;
import dev.mover.proxy.pipeline.CpuPool;
import dev.mover.proxy.pipeline.ProgressTeller;
import dev.mover.transport.frame.BulkHeader;
import dev.mover.transport.frame.Credit;
import dev.mover.transport.frame.Get;
import dev.mover.transport.frame.Sent;
import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One GET: the blocks of a disk on their way from the link to the target.
 *
 * <pre>
 * link ─▶ packed buffer ─▶ unpack, id? (CPU pool) ─▶ write (writer threads) ─▶ credit back
 * </pre>
 *
 * <p>A block comes only on credit, and credit stands for a pair of buffers, packed and plain: both
 * are there when it arrives, so no thread waits. {@link #lend}, {@link #arrived} and {@link
 * #dropped} run on the transport's thread and don't block. The first failure closes the link, which
 * ends it all; {@link #run} throws it once nothing moves.
 */
final class Transfer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Transfer.class);

  /** Writes in flight: enough for a queue depth of a few MiB on any device. */
  private static final int WRITERS = 4;

  private final Conversation link;
  private final Plan plan;
  private final PointKeys keys;
  private final IdFile ids;
  private final RestoreTarget target;
  private final ProgressTeller teller;
  private final int pairs;
  private final BufferSet packed;
  private final BufferSet plain;
  private final boolean tolerant;
  private final CpuPool.Lane lane;
  private final ThreadPoolExecutor writers;

  /** Completed when the transfer is over and nothing of it moves. */
  private final CompletableFuture<Void> still = new CompletableFuture<>();

  // Guarded by this.
  private boolean over;
  private int moving;
  private long blocks;
  private long writtenBytes;
  private long receivedBytes;
  private long badBlocks;
  private @Nullable MoverException failure;

  /**
   * Leases its memory; the caller has the task slots for it.
   *
   * @param tolerant goes on when blocks are damaged; they stay expected in {@code ids}
   */
  Transfer(
      Conversation link,
      Plan plan,
      PointKeys keys,
      IdFile ids,
      RestoreTarget target,
      boolean tolerant,
      ProxyMemory memory,
      CpuPool cpu,
      ProgressTeller teller) {
    this.link = link;
    this.plan = plan;
    this.keys = keys;
    this.ids = ids;
    this.target = target;
    this.tolerant = tolerant;
    this.teller = teller;
    int bytes = plan.blockSize().bytes();
    pairs = Math.min(memory.readBuffers(plan.blockSize()), memory.sendBuffers(plan.blockSize()));
    packed = memory.send().lease(bytes, pairs, () -> {});
    try {
      plain = memory.read().lease(bytes, pairs, () -> {});
    } catch (Throwable e) {
      packed.close();
      throw e;
    }
    lane = cpu.lane(this::fail);
    writers =
        new ThreadPoolExecutor(
            WRITERS,
            WRITERS,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(pairs),
            Thread.ofPlatform().daemon().name("restore-write-", 0).factory());
  }

  /**
   * Blocks until every block is written, though not yet durable.
   *
   * @return how many blocks were not, because they are damaged; 0 unless tolerant
   */
  long run() {
    link.send(new Credit(pairs * BulkHeader.cost(plan.blockSize())));
    Sent sent = link.ask(new Get(plan.disk()), Sent.class);
    end();
    return check(sent);
  }

  synchronized long writtenBytes() {
    return writtenBytes;
  }

  synchronized long receivedBytes() {
    return receivedBytes;
  }

  // ---- the link's side

  BlockBuffer lend(BulkHeader header) {
    if (header.kind() != BulkHeader.Kind.DATA
        || header.disk() != plan.disk()
        || header.block() >= plan.blocks()
        || header.plainLength() != plan.lengthAt(header.block())) {
      throw violation("the repository sent a block that is not of this disk");
    }
    synchronized (this) {
      if (over) {
        throw violation("the repository sent a block after the last");
      }
      BlockBuffer buffer = packed.tryTake();
      if (buffer == null) {
        throw violation("the repository sent more than its credit");
      }
      moving++;
      return buffer;
    }
  }

  void arrived(BulkHeader header, BlockBuffer buffer) {
    lane.late(worker -> unpack(worker, header, buffer));
  }

  void dropped(BlockBuffer buffer) {
    buffer.release();
    ended();
  }

  // ---- the block's way

  private void unpack(CpuPool.Worker worker, BulkHeader header, BlockBuffer in) {
    BlockBuffer out = plain.tryTake();
    boolean writing = false;
    try {
      if (failed()) {
        return;
      }
      BlockBuffer mine = requireNonNull(out, "credit stands for a pair of buffers");
      if (!unpack(worker, header, in, mine)) {
        return;
      }
      writing = true;
      writers.execute(() -> write(header, in, mine));
    } catch (Throwable e) {
      writing = false;
      fail(e); // before the block counts as gone
    } finally {
      if (!writing) {
        release(in, out);
      }
    }
  }

  /** False when the block is damaged and the restore puts up with that. */
  private boolean unpack(
      CpuPool.Worker worker, BulkHeader header, BlockBuffer in, BlockBuffer out) {
    BlockId expected =
        ids.strike(header.block())
            .orElseThrow(
                () -> violation("block " + header.block() + " came twice or is a zero block"));
    try {
      ByteBuffer payload = in.bytes(0, header.payloadLength());
      check(worker.digest().crc(payload) == header.payloadCrc(), header, "its checksum");
      keys.of(header.envelope(), header.block())
          .ifPresent(
              key ->
                  worker
                      .cipher()
                      .decrypt(
                          key,
                          header.envelope(),
                          header.codec(),
                          expected,
                          header.plainLength(),
                          payload));
      worker.codec().unpack(header.codec(), payload, out.bytes(), header.plainLength());
      BlockId id = worker.digest().id(out.bytes(0, header.plainLength()), keys.idKey());
      check(id.equals(expected), header, "its id");
      return true;
    } catch (DataException e) {
      if (!tolerant) {
        throw e;
      }
      log.warn("{}", e.getMessage());
      ids.restore(header.block(), expected);
      synchronized (this) {
        badBlocks++;
      }
      return false;
    }
  }

  private void check(boolean fits, BulkHeader header, String what) {
    if (!fits) {
      throw new DataException(
          ErrorCode.BLOCK_DAMAGED,
          Side.REPOSITORY,
          "block %d of disk %d does not have %s: it is damaged in the repository or on the way; verify the point"
              .formatted(header.block(), plan.disk(), what));
    }
  }

  private void write(BulkHeader header, BlockBuffer in, BlockBuffer out) {
    try {
      if (!failed()) {
        target.write(plan.offset(header.block()), out, header.plainLength());
        wrote(header);
      }
    } catch (Throwable e) {
      fail(e);
    } finally {
      release(in, out);
    }
  }

  private void wrote(BulkHeader header) {
    long done;
    long received;
    synchronized (this) {
      blocks++;
      done = writtenBytes += header.plainLength();
      received = receivedBytes += header.payloadLength();
    }
    double percent = 100.0 * done / plan.dataBytes();
    teller.tell(new Progress("restore", percent, done, plan.dataBytes(), received, 1, "", null));
  }

  private void release(BlockBuffer in, @Nullable BlockBuffer out) {
    if (out != null) {
      out.release();
    }
    in.release();
    link.send(new Credit(BulkHeader.cost(plan.blockSize())));
    ended();
  }

  private synchronized void ended() {
    moving--;
    if (over && moving == 0) {
      still.complete(null);
    }
  }

  private synchronized boolean failed() {
    return failure != null;
  }

  private void fail(Throwable error) {
    MoverException cause;
    if (error instanceof MoverException known) {
      cause = known;
    } else {
      log.error("a restore fails of an internal error", error);
      cause =
          MoverException.of(
              ErrorCode.INTERNAL, Side.PROXY, "internal error, please report it: " + error, error);
    }
    synchronized (this) {
      if (failure == null) {
        failure = cause;
      }
    }
    link.fail(cause);
  }

  // ---- the end

  /** Lends nothing more and waits for what is lent; no interrupt ends the wait. */
  private void end() {
    synchronized (this) {
      over = true;
      if (moving == 0) {
        still.complete(null);
      }
    }
    still.join();
  }

  private synchronized long check(Sent sent) {
    if (failure != null) {
      throw failure;
    }
    if (sent.unreadable() > 0 && !tolerant) {
      throw new DataException(
          ErrorCode.BLOCK_DAMAGED,
          Side.REPOSITORY,
          "%d blocks of the disk are damaged in the repository, %s; verify the point and restore another one, or what can be read with --tolerant"
              .formatted(
                  sent.unreadable(),
                  sent.findings().isEmpty()
                      ? "which it doesn't name"
                      : "the first: " + sent.findings().getFirst()));
    }
    long bad = badBlocks + sent.unreadable();
    if (blocks + bad != plan.dataBlocks()) {
      throw violation("the repository sent %d of %d blocks".formatted(blocks, plan.dataBlocks()));
    }
    return bad;
  }

  private static LinkException violation(String what) {
    return new LinkException(ErrorCode.PROTOCOL_VIOLATION, what);
  }

  /** Closes the link, so that what is lent to it comes back, and gives everything back. */
  @Override
  public void close() {
    link.close();
    end();
    writers.close();
    lane.close();
    packed.close();
    plain.close();
  }
}
