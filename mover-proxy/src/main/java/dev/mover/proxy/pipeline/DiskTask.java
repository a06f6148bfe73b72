package dev.mover.proxy.pipeline;

import static java.util.Objects.requireNonNull;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.block.DiskDigest;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.SourceException;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferSet;
import dev.mover.api.source.DiskSource;
import dev.mover.dedup.codec.Compression;
import dev.mover.dedup.digest.BlockDigest;
import dev.mover.proxy.ProxyMemory;
import dev.mover.proxy.pipeline.CpuPool.Worker;
import dev.mover.transport.frame.Ack;
import dev.mover.transport.frame.Answer;
import dev.mover.transport.frame.BeginDisk;
import dev.mover.transport.frame.BulkHeader;
import dev.mover.transport.frame.EndDisk;
import dev.mover.transport.frame.Offer;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One disk on its way: a machine of queues between read and acknowledged.
 *
 * <pre>
 * read ─▶ hash ─▶ ring (block order) ─▶ batch ─▶ offered ─┬▶ known
 *                        └▶ zeros                          └▶ wanted ─credit─▶ pack ─▶ unacked ─▶ done
 * </pre>
 *
 * <p>The task's own thread runs {@link #run} and may wait; everything else happens where it
 * arrives: reads end on the source's threads, steps on CPU workers, answers on the link's thread.
 * All state is guarded by the session's monitor, which nobody holds while reading, hashing or
 * packing. Buffers bound every queue: a unit holds its read buffer until it is known, zero or
 * packed. A block that is lost with a link is read again ({@link #again}): until then nothing is
 * kept of it but its id.
 */
final class DiskTask {
  private final SessionMonitor monitor;
  private final SessionLink link;
  private final SessionFigures figures;
  private final Admission admission;
  private final Consumer<DiskTask> onEnded;
  private final int disk;
  private final DiskSource source;
  private final BlockSize blockSize;
  private final Compression compression;
  private final BufferSet readBuffers;
  private final BufferSet sendBuffers;
  private final CpuPool.Lane lane;
  private final int batchTarget;
  private final StageTimes times;

  private final DiskDigest digest;
  private final Deque<Unit> ring = new ArrayDeque<>();
  private final Unanswered unanswered;
  private final Deque<Unit> wanted = new ArrayDeque<>();
  private final Map<Long, Unit> unacked = new HashMap<>();

  /** Sent on a link that was lost before they arrived. */
  private final Deque<Unit> again = new ArrayDeque<>();

  private List<Unit> batch = new ArrayList<>();
  private long zeroFirst;
  private long zeroCount;
  private boolean begun;
  private boolean granted;
  private boolean allRead;
  private @Nullable EndDisk end;

  /** Reads, steps and sends under way; each ends by itself, also after a failure. */
  private int moving;

  /** Leases its memory; {@code onEnded} gives the slots for it back. */
  DiskTask(Session session, int disk, Consumer<DiskTask> onEnded) {
    this.monitor = session.monitor();
    this.link = session.link();
    this.figures = session.figures();
    this.admission = session.admission();
    this.onEnded = onEnded;
    this.disk = disk;
    this.source = session.request().disks().get(disk);
    this.blockSize = session.request().blockSize();
    this.compression = session.request().compression();
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
    this.times = new StageTimes(session.cpu().workers());
  }

  int disk() {
    return disk;
  }

  /** With the session's lock held: tells this task's clocks and the session's. */
  private void time(Consumer<StageTimes> event) {
    event.accept(times);
    event.accept(figures.times());
  }

  /** The task from slot to END_DISK, on its own thread. Failures go to the session. */
  void run() {
    try {
      begin();
      monitor.await(() -> granted);
      stream();
      end(new EndDisk(disk, digest.finish()));
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
        readAgain();
      }
      source.finish().forEach(this::warn);
    } finally {
      stopped();
    }
  }

  /** False when there are blocks to read again. */
  private boolean awaitDrained() {
    synchronized (monitor) {
      monitor.await(() -> drained() || !again.isEmpty());
      return again.isEmpty();
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
      times.end();
      figures.stopped(new TaskFigures(source.spec().name().value(), times.figures()));
    }
  }

  private void readAll() {
    long sizeBytes = source.spec().sizeBytes();
    long blocks = blockSize.count(sizeBytes);
    long block = 0;
    while (block < blocks) {
      readAgain();
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
      times.allRead();
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
      moving++;
      time(StageTimes::readBegins);
    }
    try {
      source.read(block * blockSize.bytes(), length, buffer, error -> onRead(unit, buffer, error));
    } catch (Throwable e) {
      readEnded(0); // the source took nothing
      ended();
      throw e;
    }
  }

  /** Reads what was sent and did not arrive, if there is any. */
  private void readAgain() {
    Unit unit;
    while ((unit = nextAgain()) != null) {
      readAgain(unit);
    }
  }

  private @Nullable Unit nextAgain() {
    synchronized (monitor) {
      return again.poll();
    }
  }

  private void readAgain(Unit unit) {
    BlockBuffer buffer;
    synchronized (monitor) {
      buffer = monitor.awaitBuffer(readBuffers);
      unit.plain = buffer;
      moving++;
      time(StageTimes::readBegins);
    }
    try {
      source.read(
          unit.block * blockSize.bytes(),
          unit.length(),
          buffer,
          error -> onReadAgain(unit, buffer, error));
    } catch (Throwable e) {
      readEnded(0); // the source took nothing
      ended();
      throw e;
    }
  }

  /** On the source's thread. */
  private void onReadAgain(Unit unit, BlockBuffer buffer, @Nullable MoverException error) {
    readEnded(0); // it was counted when it was read first
    if (error != null) {
      monitor.fail(error);
      ended();
    } else {
      synchronized (monitor) {
        time(StageTimes::stepQueued);
      }
      lane.early(worker -> hashAgain(worker, unit, buffer));
    }
  }

  private void hashAgain(Worker worker, Unit unit, BlockBuffer buffer) {
    long startNs = System.nanoTime();
    try {
      if (monitor.failed()) {
        return;
      }
      if (!worker.digest().id(buffer.bytes(0, unit.length())).equals(unit.id)) {
        throw changed(unit);
      }
      synchronized (monitor) {
        wanted.add(unit);
      }
    } finally {
      stepEnded(startNs);
      ended();
    }
  }

  private SourceException changed(Unit unit) {
    return new SourceException(
        ErrorCode.SOURCE_CHANGED,
        "%s: block %d is not what it was when it was read first; back up from a frozen source (a snapshot), and run the backup again"
            .formatted(source.describe(), unit.block));
  }

  /** On the source's thread. */
  private void onRead(Unit unit, BlockBuffer buffer, @Nullable MoverException error) {
    readEnded(error == null ? unit.bytes : 0);
    if (error != null) {
      monitor.fail(error);
      ended();
    } else {
      figures.counters().read(unit.bytes);
      synchronized (monitor) {
        time(StageTimes::stepQueued);
      }
      lane.early(worker -> hash(worker, unit, buffer));
    }
  }

  private void readEnded(long bytes) {
    synchronized (monitor) {
      time(t -> t.readEnds(bytes));
    }
  }

  private void stepEnded(long startNs) {
    long ns = System.nanoTime() - startNs;
    synchronized (monitor) {
      time(t -> t.stepEnds(ns));
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
        unit.id = worker.digest().id(plain);
      }
      synchronized (monitor) {
        unit.ready = true;
        drain();
      }
    } finally {
      stepEnded(startNs);
      ended();
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
    if (zeroCount == 0) {
      zeroFirst = unit.block;
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
      times.begin();
      monitor.notifyAll();
    }
    return first;
  }

  /** With the session's lock held: says on a new link what the repository may not have heard. */
  void tellAgain() {
    if (begun && !granted) {
      link.send(new BeginDisk(disk));
    }
    unanswered.tellAgain(unacked.values().stream().filter(unit -> unit.sent).toList());
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
        unacked.put(unit.block, unit);
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
      unit.sent = false;
      again.add(unit);
    } else {
      acknowledged(unit.block);
    }
  }

  /**
   * With the session's lock held: takes credit, a send buffer and room on the link for one wanted
   * block, if it can.
   */
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
    moving++;
    time(StageTimes::stepQueued);
    lane.late(worker -> pack(worker, unit, plain, out));
    return true;
  }

  private void pack(Worker worker, Unit unit, BlockBuffer plain, BlockBuffer out) {
    long startNs = System.nanoTime();
    BulkHeader header = null;
    ByteBuffer payload = out.bytes();
    try {
      if (!monitor.failed()) {
        BlockId id = requireNonNull(unit.id);
        header =
            worker.pack(disk, unit.block, id, plain.bytes(0, unit.length()), payload, compression);
        figures.counters().sent(unit.bytes, header.payloadLength());
        admission.line().giveBack(unit.length() - header.payloadLength());
      }
    } finally {
      // Before the block is sent: its ACK may end the task, and nothing may be lent then.
      plain.release();
      stepEnded(startNs);
      if (header == null) {
        unsent(out);
      }
    }
    if (header != null) {
      send(header, payload, out);
    }
  }

  private void send(BulkHeader header, ByteBuffer payload, BlockBuffer out) {
    synchronized (monitor) {
      time(StageTimes::sendBegins);
    }
    long limitNs = admission.line().timeNs(header.payloadLength());
    link.sendBulk(
        header,
        payload,
        () -> {
          synchronized (monitor) {
            time(t -> t.sendEnds(header.payloadLength(), limitNs));
          }
          unsent(out);
        });
  }

  private void unsent(BlockBuffer out) {
    out.release();
    synchronized (monitor) {
      admission.landed();
      ended();
    }
  }

  /** Something that was moving ended; what it freed may let others go on. */
  private void ended() {
    synchronized (monitor) {
      moving--;
      admission.admit();
      monitor.notifyAll();
    }
  }

  /** With the session's lock held, on the link's thread. */
  void onAck(Ack ack) {
    ack.blocks().forEach(this::acknowledged);
    monitor.notifyAll();
  }

  private void acknowledged(long block) {
    Unit unit = unacked.remove(block);
    if (unit == null) {
      throw link.violation("an ACK for block " + block + ", which was not sent");
    }
    figures.counters().stored(unit.bytes);
  }

  /** With the session's lock held, after every change: what do this task's blocks wait for? */
  void observeHold(boolean forCredit, boolean forLink) {
    times.held(forCredit && hasWanted(), forLink && hasWanted());
  }

  boolean hasWanted() {
    return !wanted.isEmpty();
  }

  private boolean drained() {
    return allRead
        && ring.isEmpty()
        && batch.isEmpty()
        && unanswered.offers() == 0
        && unacked.isEmpty()
        && moving == 0;
  }

  /** Waits for what moves, then gives back every buffer and the slot; also after a failure. */
  void close() {
    synchronized (monitor) {
      monitor.awaitEnd(() -> moving == 0);
      ring.forEach(Unit::releasePlain);
      batch.forEach(Unit::releasePlain);
      unanswered.release();
      unacked.values().forEach(Unit::releasePlain);
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
