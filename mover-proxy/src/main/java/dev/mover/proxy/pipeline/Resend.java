package dev.mover.proxy.pipeline;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.error.MoverException;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferSet;
import dev.mover.api.source.DiskSource;
import dev.mover.proxy.BackupRequest;
import dev.mover.transport.frame.Ack;
import dev.mover.transport.frame.BulkHeader;
import dev.mover.transport.frame.Need;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers NEED: reads blocks again that the repository knew but can't clone or read any more, and
 * sends them, one at a time. Rare, so simple. A block whose content changed meanwhile gets another
 * id, and the repository refuses it.
 *
 * <p>Memory: one read and one send buffer, from the share of the slot that the session took for
 * this. Runs on the session's own thread, which waits for every step; the session's failure ends
 * it.
 */
final class Resend {
  private final Session session;
  private final SessionMonitor monitor;
  private final BackupRequest request;
  private final BooleanSupplier stale;

  /** Blocks acknowledged; guarded by the monitor. */
  private long acknowledged;

  /** Guarded by the monitor: a block is being read, packed or sent. */
  private boolean moving;

  /** Blocks sent; used by the session's own thread only. */
  private long sent;

  /**
   * Nothing moves yet.
   *
   * @param stale asked with the monitor held: the link was lost, so what is missing is asked anew
   */
  Resend(Session session, BooleanSupplier stale) {
    this.session = session;
    this.stale = stale;
    this.monitor = session.monitor();
    this.request = session.request();
  }

  /** With the monitor held. */
  void onAck(Ack ack) {
    acknowledged += ack.blocks().size();
  }

  /** Blocks until every block of {@code needs} is acknowledged, or the link was lost. */
  void send(List<Need> needs) {
    int bytes = request.blockSize().bytes();
    try (BufferSet plain = session.memory().read().lease(bytes, 1, session.admission()::wake);
        BufferSet packed = session.memory().send().lease(bytes, 1, session.admission()::wake);
        CpuPool.Lane lane = session.cpu().lane(monitor::fail)) {
      for (Need need : needs) {
        for (long block : need.blocks()) {
          if (!sendOne(need.disk(), block, plain, packed, lane)) {
            return;
          }
        }
      }
    }
  }

  /** False when it is not worth going on. */
  private boolean sendOne(
      int disk, long block, BufferSet plainSet, BufferSet packedSet, CpuPool.Lane lane) {
    if (!session.admission().awaitCredit(length(disk, block), stale)) {
      return false;
    }
    BlockBuffer plain = monitor.awaitBuffer(plainSet);
    try {
      read(disk, block, plain);
      BlockBuffer packed = monitor.awaitBuffer(packedSet);
      begin();
      lane.late(worker -> pack(worker, disk, block, plain, packed));
      awaitStill();
    } finally {
      plain.release();
    }
    long expected = ++sent;
    synchronized (monitor) {
      monitor.await(() -> acknowledged >= expected || stale.getAsBoolean());
      return !stale.getAsBoolean();
    }
  }

  /** Reads one block and waits for it. */
  private void read(int disk, long block, BlockBuffer plain) {
    begin();
    monitor.readBegins();
    try {
      request
          .disks()
          .get(disk)
          .read(block * request.blockSize().bytes(), length(disk, block), plain, this::onRead);
    } catch (Throwable e) {
      monitor.readEnds(); // the source took nothing
      end();
      throw e;
    }
    awaitStill();
  }

  /** On the source's thread. */
  private void onRead(@Nullable MoverException error) {
    if (error != null) {
      monitor.fail(error);
    }
    monitor.readEnds();
    end();
  }

  private void pack(
      CpuPool.Worker worker, int disk, long block, BlockBuffer plain, BlockBuffer packed) {
    BulkHeader header = null;
    ByteBuffer payload = packed.bytes();
    try {
      ByteBuffer bytes = plain.bytes(0, length(disk, block));
      BlockId id = worker.digest().id(bytes, session.encryption().idKey());
      header =
          worker.pack(disk, block, id, bytes, payload, request.compression(), session.encryption());
      session.figures().counters().sent(bytes.remaining(), header.payloadLength());
      session.admission().line().giveBack(bytes.remaining() - header.payloadLength());
    } finally {
      if (header == null) {
        released(packed);
      }
    }
    if (header != null) {
      session.link().sendBulk(header, payload, () -> released(packed));
    }
  }

  private void released(BlockBuffer packed) {
    packed.release();
    synchronized (monitor) {
      session.admission().landed();
      end();
    }
  }

  private int length(int disk, long block) {
    DiskSource source = request.disks().get(disk);
    BlockSize size = request.blockSize();
    return size.lengthAt(block, source.spec().sizeBytes());
  }

  private void begin() {
    synchronized (monitor) {
      moving = true;
    }
  }

  private void end() {
    synchronized (monitor) {
      moving = false;
      monitor.notifyAll();
    }
  }

  /** Waits for the step, then throws if the session has failed meanwhile. */
  private void awaitStill() {
    monitor.awaitEnd(() -> !moving);
    monitor.check();
  }
}
