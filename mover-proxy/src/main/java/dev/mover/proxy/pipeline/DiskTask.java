package dev.mover.proxy.pipeline;

import static java.util.Objects.requireNonNull;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.block.DiskDigest;
import dev.mover.api.error.MoverException;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferSet;
import dev.mover.api.source.DiskSource;
import dev.mover.dedup.digest.BlockDigest;
import dev.mover.dedup.digest.IdKey;
import dev.mover.proxy.ProxyMemory;
import dev.mover.proxy.pipeline.CpuPool.Worker;
import dev.mover.transport.frame.Ack;
import dev.mover.transport.frame.Answer;
import dev.mover.transport.frame.BeginDisk;
import dev.mover.transport.frame.EndDisk;
import dev.mover.transport.frame.Offer;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One disk on its way: a machine of queues between read and acknowledged.
 *
 * <pre>
 * read ─▶ hash ─▶ ring (block order) ─▶ batch ─▶ offered ─┬▶ known
 *                        └▶ zeros                          └▶ {@link WantedBlocks} ─▶ done
 * </pre>
 *
 * <p>The task's own thread runs {@link #run} and may wait; everything else happens where it
 * arrives: reads end on the source's threads, steps on CPU workers, answers on the link's thread.
 * All state is guarded by the session's monitor, which nobody holds while reading, hashing or
 * packing. Buffers bound every queue: a unit holds its read buffer until it is known, zero or
 * packed. A block that is lost with a link is read again ({@link Rereads}).
 */
final class DiskTask {
  /** A run of zeros is told in one frame; but the repository must hear something now and then. */
  private static final long TELL_ZEROS_NS = TimeUnit.MINUTES.toNanos(5);

  private final SessionMonitor monitor;
  private final SessionLink link;
  private final SessionFigures figures;
  private final Admission admission;
  private final IdKey idKey;
  private final DiskSeals seals;
  private final Consumer<DiskTask> onEnded;
  private final int disk;
  private final DiskSource source;
  private final BlockSize blockSize;
  private final BufferSet readBuffers;
  private final BufferSet sendBuffers;
  private final CpuPool.Lane lane;
  private final int batchTarget;
  private final TaskClocks clocks;
  private final UnderWay underWay;

  private final DiskDigest digest;
  private final Deque<Unit> ring = new ArrayDeque<>();
  private final Unanswered unanswered;
  private final WantedBlocks wanted;
  private final Rereads rereads;
  private List<Unit> batch = new ArrayList<>();
  private long zeroFirst;
  private long zeroNs;
  private long zeroCount;
  private boolean begun;
  private boolean granted;
  private boolean allRead;
  private @Nullable EndDisk end;

  /** Leases its memory; {@code onEnded} gives the slots for it back. */
  DiskTask(Session session, int disk, Consumer<DiskTask> onEnded) {
    this.monitor = session.monitor();
    this.link = session.link();
    this.figures = session.figures();
    this.admission = session.admission();
    this.idKey = session.encryption().idKey();
    this.seals = session.seals();
    this.onEnded = onEnded;
    this.disk = disk;
    this.source = session.request().disks().get(disk);
    this.blockSize = session.request().blockSize();
    this.unanswered = new Unanswered(disk, link);
    this.digest = new DiskDigest(source.spec().sizeBytes(), blockSize);
    ProxyMemory memory = session.memory();
    int reads = memory.readBuffers(blockSize);
    // A quarter of the buffers a batch: three quarters stay for reading, hashing and packing.
    this.batchTarget = Math.clamp(reads / 4, 1, Offer.MAX_IDS);
    this.readBuffers = memory.read().lease(blockSize.bytes(), reads, admission::wake);
    try {
      this.sendBuffers =
          memory.send().lease(blockSize.bytes(), memory.sendBuffers(blockSize), admission::wake);
    } catch (Throwable e) {
      readBuffers.close();
      throw e;
    }
    this.lane = session.cpu().lane(monitor::fail);
    this.clocks = new TaskClocks(monitor, figures.times(), session.cpu().workers());
    this.underWay = new UnderWay(monitor, admission);
    this.wanted = new WantedBlocks(session, disk, sendBuffers, lane, clocks, underWay);
    this.rereads = new Rereads(session, source, readBuffers, lane, clocks, underWay, wanted);
  }

  int disk() {
    return disk;
  }

  /** The task from slot to END_DISK, on its own thread. Failures go to the session. */
  void run() {
    try {
      begin();
      monitor.await(() -> granted);
      stream();
      BlockId whole = digest.finish();
      end(new EndDisk(disk, whole, seals.of(source.spec(), whole)));
    } catch (Throwable e) {
      monitor.fail(e);
    } finally {
      close();
    }
  }

  private void begin() {
    synchronized (monitor) {
      begun = true;
      link.send(new BeginDisk(disk));
    }
  }

  private void end(EndDisk frame) {
    synchronized (monitor) {
      end = frame;
      link.send(frame);
    }
  }

  private void stream() {
    try {
      readAll();
      while (!awaitDrained()) {
        rereads.readAll();
      }
      source.finish().forEach(this::warn);
    } finally {
      stopped();
    }
  }

  /** False when there are blocks to read again. */
  private boolean awaitDrained() {
    synchronized (monitor) {
      monitor.await(() -> drained() || !rereads.isEmpty());
      return rereads.isEmpty();
    }
  }

  private void warn(String warning) {
    synchronized (monitor) {
      figures.warn(warning);
    }
  }

  /** It streams no more; before the repository may give its slot to another. */
  private void stopped() {
    synchronized (monitor) {
      clocks.task().end();
      figures.stopped(new TaskFigures(source.spec().name().value(), clocks.task().figures()));
    }
  }

  private void readAll() {
    long sizeBytes = source.spec().sizeBytes();
    long blocks = blockSize.count(sizeBytes);
    long block = 0;
    while (block < blocks) {
      rereads.readAll();
      long data = source.nextData(block * blockSize.bytes());
      long next = data >= sizeBytes ? blocks : data / blockSize.bytes();
      if (next > block) {
        // Not next * size when that is the disk's end: near 2^63 it would overflow.
        long end = next == blocks ? sizeBytes : next * blockSize.bytes();
        skip(Unit.hole(block, next - block, end - block * blockSize.bytes()));
      } else {
        read(block, blockSize.lengthAt(block, sizeBytes));
        next = block + 1;
      }
      block = next;
    }
    synchronized (monitor) {
      allRead = true;
      clocks.task().allRead();
      drain();
    }
  }

  private void skip(Unit hole) {
    synchronized (monitor) {
      ring.add(hole);
      drain();
    }
  }

  private void read(long block, int length) {
    Unit unit;
    BlockBuffer buffer;
    synchronized (monitor) {
      buffer = monitor.awaitBuffer(readBuffers);
      unit = Unit.read(block, length, buffer);
      ring.add(unit);
      underWay.begin();
      clocks.readBegins();
    }
    try {
      source.read(block * blockSize.bytes(), length, buffer, error -> onRead(unit, buffer, error));
    } catch (Throwable e) {
      clocks.readEnds(0); // the source took nothing
      underWay.end();
      throw e;
    }
  }

  /** On the source's thread. */
  private void onRead(Unit unit, BlockBuffer buffer, @Nullable MoverException error) {
    clocks.readEnds(error == null ? unit.bytes : 0);
    if (error != null) {
      monitor.fail(error);
      underWay.end();
    } else {
      figures.counters().read(unit.bytes);
      clocks.stepQueued();
      lane.early(worker -> hash(worker, unit, buffer));
    }
  }

  private void hash(Worker worker, Unit unit, BlockBuffer buffer) {
    long startNs = System.nanoTime();
    try {
      if (monitor.failed()) {
        return;
      }
      ByteBuffer plain = buffer.bytes(0, unit.length());
      if (BlockDigest.isZero(plain)) {
        unit.releasePlain();
      } else {
        unit.id = worker.digest().id(plain, idKey);
      }
      synchronized (monitor) {
        unit.ready = true;
        drain();
      }
    } finally {
      clocks.stepEnds(startNs);
      underWay.end();
    }
  }

  /** Moves ready units from the ring into ZERO and OFFER frames, in block order. */
  private void drain() {
    if (monitor.failed()) {
      return;
    }
    while (!ring.isEmpty() && ring.peek().ready) {
      if (ring.peek().id == null) {
        if (!batch.isEmpty() && !offerBatch()) {
          return;
        }
        addZeros(ring.remove());
      } else {
        sendZeros();
        if (batch.size() == Offer.MAX_IDS && !offerBatch()) {
          return;
        }
        addToBatch(ring.remove());
      }
    }
    // Nothing is close behind, or enough has come together.
    if (!batch.isEmpty() && (ring.isEmpty() || batch.size() >= batchTarget)) {
      offerBatch();
    }
    if (allRead && ring.isEmpty()) {
      sendZeros();
    }
    monitor.notifyAll();
  }

  private void addZeros(Unit unit) {
    if (zeroCount > 0 && System.nanoTime() - zeroNs > TELL_ZEROS_NS) {
      sendZeros();
    }
    if (zeroCount == 0) {
      zeroFirst = unit.block;
      zeroNs = System.nanoTime();
    }
    zeroCount += unit.count;
    digest.addZeros(unit.count);
    figures.counters().zero(unit.bytes);
  }

  private void sendZeros() {
    if (zeroCount > 0) {
      unanswered.tellZeros(zeroFirst, zeroCount);
      zeroCount = 0;
    }
  }

  private void addToBatch(Unit unit) {
    batch.add(unit);
    digest.addBlock(requireNonNull(unit.id));
  }

  /** False when the repository owes too many answers: the batch stays and grows. */
  private boolean offerBatch() {
    if (unanswered.offers() >= Offer.MAX_UNANSWERED) {
      return false;
    }
    unanswered.tellOffer(batch);
    batch = new ArrayList<>();
    return true;
  }

  /** False when it was granted before: its slot was lent, and is its own again. */
  boolean onGranted() {
    boolean first = !granted;
    if (first) {
      granted = true;
      clocks.task().begin();
      monitor.notifyAll();
    }
    return first;
  }

  /** With the session's lock held: says on a new link what the repository may not have heard. */
  void tellAgain() {
    if (begun && !granted) {
      link.send(new BeginDisk(disk));
    }
    unanswered.tellAgain(wanted.sent());
    EndDisk last = end;
    if (last != null) {
      link.send(last);
    }
  }

  /** With the session's lock held, on the link's thread. */
  void onAnswer(Answer answer) {
    Unanswered.Offered offered = unanswered.answered(answer);
    for (int i = 0; i < offered.units().size(); i++) {
      Unit unit = offered.units().get(i);
      boolean isWanted = answer.wanted().get(i);
      if (offered.again()) {
        answeredAgain(unit, isWanted);
      } else if (isWanted) {
        wanted.add(unit);
      } else {
        unit.releasePlain();
        figures.counters().known(unit.bytes);
      }
    }
    drain();
  }

  /** Whether a block arrived before its link was lost. */
  private void answeredAgain(Unit unit, boolean isWanted) {
    if (isWanted) {
      rereads.add(unit);
    } else {
      wanted.acknowledged(unit.block);
    }
  }

  /** With the session's lock held: lets one wanted block go on its way, if it can. */
  boolean admitOne() {
    return wanted.admitOne();
  }

  /** With the session's lock held, on the link's thread. */
  void onAck(Ack ack) {
    wanted.onAck(ack);
  }

  /** With the session's lock held, after every change: what do this task's blocks wait for? */
  void observeHold(boolean forCredit, boolean forLink) {
    clocks.task().held(forCredit && hasWanted(), forLink && hasWanted());
  }

  boolean hasWanted() {
    return wanted.areWaiting();
  }

  private boolean drained() {
    return allRead
        && ring.isEmpty()
        && batch.isEmpty()
        && unanswered.offers() == 0
        && wanted.areAllAcked()
        && underWay.isNone();
  }

  /** Waits for what moves, then gives back every buffer and the slot; also after a failure. */
  void close() {
    synchronized (monitor) {
      monitor.awaitEnd(underWay::isNone);
      ring.forEach(Unit::releasePlain);
      batch.forEach(Unit::releasePlain);
      unanswered.release();
      wanted.release();
    }
    try {
      lane.close();
      readBuffers.close();
      sendBuffers.close();
    } finally {
      onEnded.accept(this);
    }
  }
}
