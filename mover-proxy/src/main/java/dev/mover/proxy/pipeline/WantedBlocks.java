package dev.mover.proxy.pipeline;

import static java.util.Objects.requireNonNull;

import dev.mover.api.block.BlockId;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferSet;
import dev.mover.dedup.codec.Compression;
import dev.mover.proxy.pipeline.CpuPool.Worker;
import dev.mover.transport.frame.Ack;
import dev.mover.transport.frame.BulkHeader;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The blocks of one disk that the repository wants, from its answer to its ACK.
 *
 * <pre>
 * wanted ─credit, send buffer, room on the link─▶ pack ─▶ send ─▶ ACK
 *    ▲                                                     └ link lost ─▶ {@link Rereads} ─┐
 *    └────────────────────────────────────────────────────────────────────────────────────┘
 * </pre>
 *
 * <p>Guarded by the session's monitor; packing and sending are on CPU workers.
 */
final class WantedBlocks {
  private final SessionMonitor monitor;
  private final SessionLink link;
  private final SessionFigures figures;
  private final Admission admission;
  private final Compression compression;
  private final Encryption encryption;
  private final int disk;
  private final BufferSet sendBuffers;
  private final CpuPool.Lane lane;
  private final TaskClocks clocks;
  private final UnderWay underWay;
  private final Deque<Unit> wanted = new ArrayDeque<>();
  private final Map<Long, Unit> unacked = new HashMap<>();

  WantedBlocks(
      Session session,
      int disk,
      BufferSet sendBuffers,
      CpuPool.Lane lane,
      TaskClocks clocks,
      UnderWay underWay) {
    this.monitor = session.monitor();
    this.link = session.link();
    this.figures = session.figures();
    this.admission = session.admission();
    this.compression = session.request().compression();
    this.encryption = session.encryption();
    this.disk = disk;
    this.sendBuffers = sendBuffers;
    this.lane = lane;
    this.clocks = clocks;
    this.underWay = underWay;
  }

  // ---- with the monitor held

  /** The repository wants a block that was offered; its content is at hand. */
  void add(Unit unit) {
    unacked.put(unit.block, unit);
    wanted.add(unit);
  }

  /** A block that was lost with a link is at hand again. */
  void addAgain(Unit unit) {
    wanted.add(unit);
  }

  /** Whether some wait to be sent. */
  boolean areWaiting() {
    return !wanted.isEmpty();
  }

  boolean areAllAcked() {
    return unacked.isEmpty();
  }

  /** Those that were sent and have no ACK, in any order. */
  List<Unit> sent() {
    return unacked.values().stream().filter(unit -> unit.sent).toList();
  }

  /** Takes credit, a send buffer and room on the link for one block, if it can. */
  boolean admitOne() {
    if (wanted.isEmpty()
        || sendBuffers.lent() == sendBuffers.count()
        || !admission.line().tryPass(wanted.element().length())) {
      return false;
    }
    BlockBuffer out = requireNonNull(sendBuffers.tryTake()); // only taken with this lock held
    admission.spendCredit();
    Unit unit = wanted.remove();
    BlockBuffer plain = requireNonNull(unit.plain);
    unit.plain = null; // the step owns it now
    unit.sent = true;
    underWay.begin();
    clocks.tell(StageTimes::stepQueued);
    lane.late(worker -> pack(worker, unit, plain, out));
    return true;
  }

  void onAck(Ack ack) {
    ack.blocks().forEach(this::acknowledged);
    monitor.notifyAll();
  }

  /** The repository has the block. */
  void acknowledged(long block) {
    Unit unit = unacked.remove(block);
    if (unit == null) {
      throw link.violation("an ACK for block " + block + ", which was not sent");
    }
    figures.counters().stored(unit.bytes);
  }

  /** Gives back what waiting blocks hold; nothing is under way any more. */
  void release() {
    unacked.values().forEach(Unit::releasePlain);
  }

  // ---- on a CPU worker

  private void pack(Worker worker, Unit unit, BlockBuffer plain, BlockBuffer out) {
    long startNs = System.nanoTime();
    BulkHeader header = null;
    ByteBuffer payload = out.bytes();
    try {
      if (!monitor.failed()) {
        BlockId id = requireNonNull(unit.id);
        header =
            worker.pack(
                disk,
                unit.block,
                id,
                plain.bytes(0, unit.length()),
                payload,
                compression,
                encryption);
        figures.counters().sent(unit.bytes, header.payloadLength());
        admission.line().giveBack(unit.length() - header.payloadLength());
      }
    } finally {
      // Before the block is sent: its ACK may end the task, and nothing may be lent then.
      plain.release();
      clocks.stepEnds(startNs);
      if (header == null) {
        left(out);
      }
    }
    if (header != null) {
      send(header, payload, out);
    }
  }

  private void send(BulkHeader header, ByteBuffer payload, BlockBuffer out) {
    synchronized (monitor) {
      clocks.tell(StageTimes::sendBegins);
    }
    long limitNs = admission.line().timeNs(header.payloadLength());
    link.sendBulk(
        header,
        payload,
        () -> {
          synchronized (monitor) {
            clocks.tell(t -> t.sendEnds(header.payloadLength(), limitNs));
          }
          left(out);
        });
  }

  /** The block is in the socket, or dropped: its buffer is free. */
  private void left(BlockBuffer out) {
    out.release();
    synchronized (monitor) {
      admission.landed();
      underWay.end();
    }
  }
}
