package dev.mover.repository.session;

import dev.mover.api.block.BlockSize;
import dev.mover.api.block.Envelope;
import dev.mover.api.block.SessionKey;
import dev.mover.api.error.DataException;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import dev.mover.api.error.Side;
import dev.mover.api.error.SourceException;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.task.RateLimit;
import dev.mover.repository.figures.Figures;
import dev.mover.repository.file.MapEntry.Slot;
import dev.mover.repository.file.Page;
import dev.mover.repository.file.PartialFile;
import dev.mover.repository.file.SlotHeader;
import dev.mover.repository.link.LinkContext;
import dev.mover.repository.slot.ReceiveMemory;
import dev.mover.transport.frame.BulkHeader;
import dev.mover.transport.link.BulkReceiver;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes the payloads of one session from the transport and has them written as slots.
 *
 * <p>Threads: {@link #lend}, {@link #arrived} and {@link #dropped} on the transport's, writing on
 * the extent's writers, the rest on the strand. A buffer is lent only for a block that is wanted
 * and paid for with credit, and goes back as soon as its slot is written, so the writers' queue is
 * bounded by the credit granted.
 */
final class Arrivals implements BulkReceiver {
  private final OfferDesk desk;
  private final ReceiveMemory memory;
  private final long costBytes;
  private final PartialFile partial;
  private final UUID keyId;
  private final int key;
  private final Executor writers;
  private final RateLimit rate;
  private final TargetTimes times;
  private final Figures figures;
  private final Runnable onWritten;
  private final Consumer<Throwable> onFailure;

  private List<Written> written = new ArrayList<>();
  private long creditBytes;
  private int writing;
  private boolean told;
  private boolean paused;
  private boolean closed;

  /** A block whose slot is written, not yet durable. */
  record Written(Wanted block, Slot slot) {}

  /**
   * @param rate of slots written to the extent
   * @param onWritten told, on a writer's thread, that {@link #takeWritten} has something or nothing
   *     is being written any more
   * @param onFailure told of a damaged payload or a failed write
   */
  Arrivals(
      OfferDesk desk,
      ReceiveMemory memory,
      BlockSize blockSize,
      PartialFile partial,
      Executor writers,
      RateLimit rate,
      TargetTimes times,
      Figures figures,
      Runnable onWritten,
      Consumer<Throwable> onFailure) {
    this.desk = desk;
    this.memory = memory;
    this.costBytes = BulkHeader.cost(blockSize);
    this.partial = partial;
    SessionKey own = partial.superblock().key();
    this.keyId = own == null ? Envelope.NO_KEY : own.key().id();
    this.key = own == null ? 0 : 1;
    this.writers = writers;
    this.rate = rate;
    this.times = times;
    this.figures = figures;
    this.onWritten = onWritten;
    this.onFailure = onFailure;
  }

  /** The peer may send this much more; call before it is told. */
  synchronized void grant(long bytes) {
    creditBytes += bytes;
  }

  /** What was written since the last call. */
  synchronized List<Written> takeWritten() {
    List<Written> taken = written;
    written = new ArrayList<>();
    told = false;
    return taken;
  }

  /** Nothing is accepted any more. */
  synchronized void close() {
    closed = true;
  }

  synchronized boolean isIdle() {
    return writing == 0;
  }

  /** Whether nothing is being written, and what was is taken. */
  synchronized boolean isSettled() {
    return writing == 0 && written.isEmpty();
  }

  /** The link is gone: what comes on it all the same is refused, until {@link #resume}. */
  synchronized void pause() {
    paused = true;
  }

  /**
   * There is another link, and nothing comes on the one before; returns what may be sent on it. For
   * what was under way on the old one nothing was spent here, so this is the whole account.
   */
  synchronized long resume() {
    paused = false;
    return creditBytes;
  }

  /** The memory behind the credit goes to others. */
  synchronized void forgetCredit() {
    creditBytes = 0;
  }

  @Override
  public int payloadOffset() {
    return SlotHeader.BYTES;
  }

  @Override
  public BlockBuffer lend(BulkHeader header) {
    Wanted block = desk.wanted(Wanted.key(header.disk(), header.block()));
    if (block == null
        || header.kind() != BulkHeader.Kind.BLOCK
        || !(block.isAgain() || block.id().equals(header.id()))
        || block.plainLength() != header.plainLength()) {
      throw LinkContext.violation(
          "block %d of disk %d is not what was asked for".formatted(header.block(), header.disk()));
    }
    if (!header.envelope().key().equals(keyId)) {
      throw LinkContext.violation(
          "block %d of disk %d is not under its session's key"
              .formatted(header.block(), header.disk()));
    }
    if (!block.id().equals(header.id())) {
      throw new SourceException(
          ErrorCode.SOURCE_CHANGED,
          "block %d of disk %d is not what it was when it was read first; back up from a frozen source (a snapshot), and run the backup again"
              .formatted(header.block(), header.disk()));
    }
    if (!block.come()) {
      throw LinkContext.violation(
          "block %d of disk %d came twice".formatted(header.block(), header.disk()));
    }
    spendCredit();
    BlockBuffer buffer = memory.tryTake();
    if (buffer == null) {
      throw beyondCredit();
    }
    return buffer;
  }

  private synchronized void spendCredit() {
    if (closed || paused || creditBytes < costBytes) {
      throw beyondCredit();
    }
    creditBytes -= costBytes;
  }

  private static LinkException beyondCredit() {
    return LinkContext.violation("a block was sent beyond the credit that was granted");
  }

  @Override
  public void arrived(BulkHeader header, BlockBuffer buffer) {
    boolean late;
    synchronized (this) {
      late = closed;
      writing += late ? 0 : 1;
    }
    if (late) {
      dropped(buffer);
      return;
    }
    figures.received(header.payloadLength());
    times.writeBegins();
    writers.execute(() -> write(header, buffer));
  }

  /** Told too: when the session has ended meanwhile, others may wait for this very memory. */
  @Override
  public void dropped(BlockBuffer buffer) {
    buffer.release();
    synchronized (this) {
      creditBytes += costBytes; // the block may be sent again
    }
    onWritten.run();
  }

  private void write(BulkHeader header, BlockBuffer buffer) {
    long storedBytes = 0;
    Written done = null;
    try {
      awaitRate(header);
      if (!isClosed()) {
        Slot slot = store(header, buffer);
        storedBytes = slot.storedLength();
        figures.stored(partial.occupied(slot.storedLength()));
        Wanted block = desk.wanted(Wanted.key(header.disk(), header.block()));
        if (block == null) {
          throw new IllegalStateException("a lent block stays wanted until it is written");
        }
        done = new Written(block, slot);
      }
    } catch (RuntimeException | Error e) {
      onFailure.accept(e);
    } finally {
      buffer.release(); // before it is told: credit given for it must find it free
      times.writeEnds(storedBytes, rate.timeNs(storedBytes));
      ended(done);
    }
  }

  /** A session that ends meanwhile waits no longer. */
  private void awaitRate(BulkHeader header) {
    if (rate.bytesPerSec() == RateLimit.NONE || isClosed()) {
      return;
    }
    times.limitBegins();
    try {
      rate.take(SlotHeader.BYTES + header.payloadLength(), this::isClosed);
    } finally {
      times.limitEnds();
    }
  }

  private Slot store(BulkHeader header, BlockBuffer buffer) {
    int length = header.payloadLength();
    if (Page.crc(buffer.bytes(SlotHeader.BYTES, length)) != header.payloadCrc()) {
      throw new DataException(
          ErrorCode.BLOCK_DAMAGED,
          Side.LINK,
          "block %d of disk %d arrived damaged (its checksum is wrong); check network and memory, then run the backup again"
              .formatted(header.block(), header.disk()));
    }
    return partial.append(
        buffer,
        header.codec(),
        header.id(),
        header.plainLength(),
        length,
        header.payloadCrc(),
        header.envelope(),
        key);
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private void ended(@Nullable Written done) {
    boolean tell;
    synchronized (this) {
      if (done != null) {
        written.add(done);
      }
      writing--;
      tell = !told;
      told = true;
    }
    if (tell) {
      onWritten.run();
    }
  }
}
