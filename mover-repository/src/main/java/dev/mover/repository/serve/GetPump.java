package dev.mover.repository.serve;

import dev.mover.api.error.DataException;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LimitException;
import dev.mover.api.error.LinkException;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferSet;
import dev.mover.repository.file.SlotHeader;
import dev.mover.repository.link.LinkContext;
import dev.mover.repository.order.SlotOrder;
import dev.mover.repository.order.SlotUse;
import dev.mover.transport.frame.BulkHeader;
import dev.mover.transport.frame.Sent;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.scheduler.Schedulers;

/**
 * Sends the data blocks of one disk in physical order: as long as there is credit and a buffer, the
 * next slot is read on a reader thread, checked and sent. Nobody waits for credit; the pump stops
 * and is woken by the next CREDIT or the next buffer that comes back. A damaged block is counted,
 * named, and the rest goes on.
 */
final class GetPump implements AutoCloseable {
  /** Most buffers of one GET: enough to keep four reads and the socket busy. */
  private static final int MOST_BUFFERS = 8;

  private static final int LEAST_BUFFERS = 1;
  private static final int SHARE = 4;

  private final LinkContext link;
  private final ServeServices services;
  private final OpenPoint point;
  private final int disk;
  private final Runnable onSent;
  private final SlotOrder order;
  private final SlotReader reader;
  private final BufferSet buffers;
  private final long costBytes;
  private final Findings findings = new Findings();
  private final AtomicBoolean waking = new AtomicBoolean();
  private final Disposable.Swap timer = Disposables.swap();
  private @Nullable SlotUse next;
  private long creditBytes;
  private long sent;
  private long lifeNs;
  private int reading;
  private boolean started;
  private boolean done;
  private boolean closed;

  /**
   * Leases buffers; strand only, as everything but the reading.
   *
   * @param onSent runs on the strand when everything was sent
   * @throws LimitException OUT_OF_MEMORY_BUDGET when other restores have all the memory
   */
  GetPump(LinkContext link, ServeServices services, OpenPoint point, int disk, Runnable onSent) {
    this.link = link;
    this.services = services;
    this.point = point;
    this.disk = disk;
    this.onSent = onSent;
    this.reader = new SlotReader(point, services, link::isOver);
    this.costBytes = BulkHeader.cost(point.blockSize());
    this.buffers = lease();
    this.order =
        new SlotOrder(
            services.files(),
            services.scratch().get().resolve("mover-get-" + java.util.UUID.randomUUID()),
            services.metadata());
  }

  /**
   * No more than a quarter of what is left: many readers get few buffers each, rather than the
   * first few all of them.
   */
  private BufferSet lease() {
    long leftBytes = services.slots().budgetBytes() - services.slots().leasedBytes();
    long fair = leftBytes / SHARE / SlotReader.bufferBytes(point);
    int count = Math.clamp(fair, LEAST_BUFFERS, MOST_BUFFERS);
    while (true) {
      try {
        return services.slots().lease(SlotReader.bufferBytes(point), count, () -> wake());
      } catch (LimitException e) {
        if (count == LEAST_BUFFERS) {
          throw e;
        }
        count /= 2;
      }
    }
  }

  /** Sorts the disk's slots, which may take a while, and begins. */
  void start(long credit) {
    services.threads().foreground().began();
    long lookMs = Math.max(1, services.deafAfter().toMillis() / 4);
    timer.update(
        Schedulers.parallel()
            .schedulePeriodically(
                () -> link.strand().execute(this::lookForLife),
                lookMs,
                lookMs,
                TimeUnit.MILLISECONDS));
    creditBytes = credit;
    point.collect(disk, order, _ -> true, link::checkOver);
    next = order.next();
    started = true;
    lifeNs = System.nanoTime();
    pump();
  }

  /** What is read here in vain is missing elsewhere. */
  private void lookForLife() {
    boolean waitsForPeer = started && !done && !closed && reading == 0;
    if (waitsForPeer && System.nanoTime() - lifeNs > services.deafAfter().toNanos()) {
      link.fail(
          new LinkException(
              ErrorCode.DEADLINE_PASSED,
              "disk %s of %s, point %d: the restore took no data for %d s, and its memory is needed by others; check what it writes to, then restore again"
                  .formatted(
                      point.disk(disk).spec().name(),
                      point.file().footer().machine(),
                      point.file().footer().sequence(),
                      services.deafAfter().toSeconds())));
    }
  }

  void addCredit(long bytes) {
    lifeNs = System.nanoTime();
    creditBytes += bytes;
    pump();
  }

  /** What is left of the peer's credit. */
  long creditBytes() {
    return creditBytes;
  }

  private void pump() {
    if (!started || done) {
      return;
    }
    while (next != null && !closed && creditBytes >= costBytes) {
      BlockBuffer buffer = buffers.tryTake();
      if (buffer == null) {
        return; // the return of one wakes us
      }
      SlotUse use = next;
      next = order.next();
      creditBytes -= costBytes;
      reading++;
      services.threads().readers().execute(() -> send(use, buffer));
    }
    // Every payload is out of the link's hands before SENT, so nothing comes back after the end.
    if (reading == 0 && (next == null || closed) && buffers.lent() == 0) {
      finish();
    }
  }

  /** On a reader thread. The buffer goes back when the link has taken or dropped the payload. */
  private void send(SlotUse use, BlockBuffer buffer) {
    boolean handedOver = false;
    boolean readable = false;
    try {
      SlotHeader slot = reader.surely(use, () -> reader.read(use, buffer));
      BulkHeader header =
          new BulkHeader(
              BulkHeader.Kind.DATA,
              disk,
              use.target(),
              use.id(),
              slot.codec(),
              slot.plainLength(),
              slot.payloadLength(),
              slot.payloadCrc(),
              slot.envelope());
      readable = true;
      services.figures().served(slot.payloadLength());
      handedOver = true;
      link.link()
          .sendBulk(
              header, buffer.bytes(SlotHeader.BYTES, slot.payloadLength()), () -> buffer.release());
    } catch (DataException e) {
      findings.add(LinkContext.cut(e.getMessage()));
    } catch (RuntimeException | Error e) {
      link.strand().execute(() -> link.fail(e));
    } finally {
      if (!handedOver) {
        buffer.release();
      }
      boolean wasSent = readable;
      link.strand().execute(() -> ended(wasSent));
    }
  }

  private void ended(boolean wasSent) {
    lifeNs = System.nanoTime();
    reading--;
    if (wasSent) {
      sent++;
    } else {
      creditBytes += costBytes; // nothing travelled
    }
    pump();
  }

  private void finish() {
    done = true;
    services.threads().foreground().ended();
    timer.dispose();
    order.close();
    buffers.close();
    if (findings.count() > 0) {
      services.damaged().sync();
    }
    if (!closed) {
      link.send(new Sent(disk, sent, findings.count(), findings.first()));
    }
    onSent.run();
  }

  /** A buffer came back: pumps on, at most once for any number of them. */
  private void wake() {
    if (waking.compareAndSet(false, true)) {
      link.strand()
          .execute(
              () -> {
                waking.set(false);
                lifeNs = System.nanoTime();
                pump();
              });
    }
  }

  /** Stops; ends for good when reads and payloads under way have come back. */
  @Override
  public void close() {
    closed = true;
    started = true;
    pump();
  }
}
