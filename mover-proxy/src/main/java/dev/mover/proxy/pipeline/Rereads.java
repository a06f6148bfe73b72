package dev.mover.proxy.pipeline;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.SourceException;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferSet;
import dev.mover.api.source.DiskSource;
import dev.mover.dedup.digest.IdKey;
import dev.mover.proxy.pipeline.CpuPool.Worker;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Reads blocks again that were sent on a link and lost with it: until then nothing is kept of them
 * but their ids. A block that is another one by now is no block of this point (SOURCE_CHANGED).
 *
 * <p>The task's own thread reads and may wait for a buffer; the queue is guarded by the session's
 * monitor.
 */
final class Rereads {
  private final SessionMonitor monitor;
  private final DiskSource source;
  private final BlockSize blockSize;
  private final BufferSet readBuffers;
  private final CpuPool.Lane lane;
  private final TaskClocks clocks;
  private final UnderWay underWay;
  private final WantedBlocks wanted;
  private final IdKey idKey;
  private final Deque<Unit> lost = new ArrayDeque<>();

  Rereads(
      Session session,
      DiskSource source,
      BufferSet readBuffers,
      CpuPool.Lane lane,
      TaskClocks clocks,
      UnderWay underWay,
      WantedBlocks wanted) {
    this.monitor = session.monitor();
    this.source = source;
    this.blockSize = session.request().blockSize();
    this.readBuffers = readBuffers;
    this.lane = lane;
    this.clocks = clocks;
    this.underWay = underWay;
    this.wanted = wanted;
    this.idKey = session.encryption().idKey();
  }

  /** With the monitor held: a block that did not arrive. */
  void add(Unit unit) {
    unit.sent = false;
    lost.add(unit);
  }

  /** With the monitor held. */
  boolean isEmpty() {
    return lost.isEmpty();
  }

  /** Begins to read all there are. Blocks while there is no buffer. */
  void readAll() {
    Unit unit;
    while ((unit = next()) != null) {
      read(unit);
    }
  }

  private @Nullable Unit next() {
    synchronized (monitor) {
      return lost.poll();
    }
  }

  private void read(Unit unit) {
    BlockBuffer buffer;
    synchronized (monitor) {
      buffer = monitor.awaitBuffer(readBuffers);
      unit.plain = buffer;
      underWay.begin();
      clocks.readBegins();
    }
    try {
      source.read(
          unit.block * blockSize.bytes(),
          unit.length(),
          buffer,
          error -> onRead(unit, buffer, error));
    } catch (Throwable e) {
      clocks.readEnds(0); // the source took nothing
      underWay.end();
      throw e;
    }
  }

  /** On the source's thread. */
  private void onRead(Unit unit, BlockBuffer buffer, @Nullable MoverException error) {
    clocks.readEnds(0); // it was counted when it was read first
    if (error != null) {
      monitor.fail(error);
      underWay.end();
    } else {
      clocks.stepQueued();
      lane.early(worker -> compare(worker, unit, buffer));
    }
  }

  private void compare(Worker worker, Unit unit, BlockBuffer buffer) {
    long startNs = System.nanoTime();
    try {
      if (monitor.failed()) {
        return;
      }
      if (!worker.digest().id(buffer.bytes(0, unit.length()), idKey).equals(unit.id)) {
        throw changed(unit);
      }
      synchronized (monitor) {
        wanted.addAgain(unit);
      }
    } finally {
      clocks.stepEnds(startNs);
      underWay.end();
    }
  }

  private SourceException changed(Unit unit) {
    return new SourceException(
        ErrorCode.SOURCE_CHANGED,
        "%s: block %d is not what it was when it was read first; back up from a frozen source (a snapshot), and run the backup again"
            .formatted(source.describe(), unit.block));
  }
}
