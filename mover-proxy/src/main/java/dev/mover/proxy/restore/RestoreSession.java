package dev.mover.proxy.restore;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.block.DiskDigest;
import dev.mover.api.error.DataException;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.api.error.LinkException;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.error.Side;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferSet;
import dev.mover.api.point.Name;
import dev.mover.api.point.RestorePoint;
import dev.mover.proxy.Progress;
import dev.mover.proxy.ProxyMemory;
import dev.mover.proxy.RestoreRequest;
import dev.mover.proxy.RestoreResult;
import dev.mover.proxy.pipeline.CpuPool;
import dev.mover.transport.frame.BulkHeader;
import dev.mover.transport.frame.Credit;
import dev.mover.transport.frame.Get;
import dev.mover.transport.frame.MapPart;
import dev.mover.transport.frame.MapPart.MapRun;
import dev.mover.transport.frame.Point;
import dev.mover.transport.frame.ReadMap;
import dev.mover.transport.frame.ReadPoint;
import dev.mover.transport.frame.Sent;
import dev.mover.transport.link.BulkReceiver;
import dev.mover.transport.link.LinkConnector;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One disk on its way back.
 *
 * <pre>
 * map ─▶ ids on disk, digest checked ─▶ target opened and checked ─▶ GET
 * link ─▶ packed buffer ─▶ unpack, id? (CPU pool) ─▶ write (writer threads) ─▶ credit back
 * </pre>
 *
 * <p>A block comes only on credit, and credit stands for a pair of buffers, packed and plain: both
 * are there when it arrives, so no thread waits. Nothing is written before the map's digest and the
 * target have been checked. The first failure ends everything; {@link #run} throws it once nothing
 * moves.
 */
public final class RestoreSession {
  /** Writes in flight: enough for a queue depth of a few MiB on any device. */
  private static final int WRITERS = 4;

  private final RestoreRequest request;
  private final ProxyMemory memory;
  private final CpuPool cpu;
  private final Progress.Listener listener;
  private final long startNs = System.nanoTime();

  // Guarded by this.
  private int moving;
  private long writtenBytes;
  private long receivedBytes;
  private long blocks;
  private @Nullable MoverException failure;

  public RestoreSession(
      RestoreRequest request, ProxyMemory memory, CpuPool cpu, Progress.Listener listener) {
    this.request = request;
    this.memory = memory;
    this.cpu = cpu;
    this.listener = listener;
  }

  /** Runs the restore; blocks until the target is durable. */
  public RestoreResult run(LinkConnector connector) {
    tell("connect", 0, 1);
    Blocks receiver = new Blocks();
    try (Conversation link = new Conversation(connector, receiver);
        IdFile ids = IdFile.create()) {
      RestorePoint point =
          link.ask(new ReadPoint(request.machine(), request.sequence()), Point.class).point();
      int disk = find(point);
      Plan plan = readMap(link, point, disk, ids);
      try (RestoreTarget target =
          RestoreTarget.open(
              request.target(), plan.sizeBytes(), plan.dataBytes(), request.overwrite())) {
        target.begin();
        if (target.keepsOldContent()) {
          zeroHoles(link, disk, plan, target);
        }
        receiver.transfer(link, disk, plan, ids, target);
        target.finish();
      }
      tell("done", 1, 1);
      return new RestoreResult(
          point.machine().value(),
          point.sequence(),
          point.disks().get(disk).spec().name().value(),
          plan.sizeBytes(),
          writtenBytes,
          receivedBytes,
          Duration.ofNanos(System.nanoTime() - startNs));
    }
  }

  /** What the map says is to be done. */
  private record Plan(BlockSize blockSize, long sizeBytes, long dataBlocks, long dataBytes) {}

  private int find(RestorePoint point) {
    List<Name> names = point.disks().stream().map(d -> d.spec().name()).toList();
    Optional<Name> wanted = request.disk();
    if (wanted.isEmpty() && names.size() != 1) {
      throw new InputException(
          ErrorCode.BAD_USAGE,
          "point %d of %s has %d disks, name one of them: %s"
              .formatted(point.sequence(), point.machine(), names.size(), names));
    }
    int disk = wanted.isEmpty() ? 0 : names.indexOf(wanted.get());
    if (disk < 0) {
      throw new RepositoryException(
          ErrorCode.NO_SUCH_DISK,
          "point %d of %s has no disk %s, but %s"
              .formatted(point.sequence(), point.machine(), wanted.orElseThrow(), names));
    }
    return disk;
  }

  private Plan readMap(Conversation link, RestorePoint point, int disk, IdFile ids) {
    RestorePoint.Disk described = point.disks().get(disk);
    BlockSize size = point.blockSize();
    long sizeBytes = described.spec().sizeBytes();
    DiskDigest digest = new DiskDigest(sizeBytes, size);
    long[] data = new long[2];
    eachRun(
        link,
        disk,
        size.count(sizeBytes),
        (block, run) -> {
          BlockId id = run.id();
          if (id == null) {
            digest.addZeros(run.count());
          } else {
            digest.addBlock(id);
            ids.expect(block, id);
            data[0]++;
            data[1] += size.lengthAt(block, sizeBytes);
          }
        });
    ids.flush();
    if (!digest.finish().equals(described.digest())) {
      throw new DataException(
          ErrorCode.DIGEST_MISMATCH,
          Side.REPOSITORY,
          "the map of disk %s in point %d of %s does not have the disk's digest; nothing was written, verify the repository"
              .formatted(described.spec().name(), point.sequence(), point.machine()));
    }
    return new Plan(size, sizeBytes, data[0], data[1]);
  }

  private void zeroHoles(Conversation link, int disk, Plan plan, RestoreTarget target) {
    long blockBytes = plan.blockSize().bytes();
    eachRun(
        link,
        disk,
        plan.blockSize().count(plan.sizeBytes()),
        (block, run) -> {
          if (run.id() == null) {
            long offset = block * blockBytes;
            long end = Math.min(offset + run.count() * blockBytes, plan.sizeBytes());
            target.zero(offset, end - offset);
          }
        });
  }

  @FunctionalInterface
  private interface RunConsumer {
    void on(long block, MapRun run);
  }

  /** Pulls the map part by part and checks that it covers the disk once, in order. */
  private void eachRun(Conversation link, int disk, long blocks, RunConsumer consumer) {
    long block = 0;
    while (block < blocks) {
      MapPart part = link.ask(new ReadMap(disk, block), MapPart.class);
      if (part.disk() != disk || part.fromBlock() != block || part.runs().isEmpty()) {
        throw new LinkException(
            ErrorCode.PROTOCOL_VIOLATION, "the map of the disk has a gap at block " + block);
      }
      for (MapRun run : part.runs()) {
        if (run.count() < 1 || run.count() > blocks - block) {
          throw new LinkException(
              ErrorCode.PROTOCOL_VIOLATION, "the map of the disk runs past its end");
        }
        consumer.on(block, run);
        block += run.count();
      }
    }
  }

  private void tell(String phase, long done, long total) {
    double percent =
        phase.equals("done") ? 100 : total == 0 ? 0 : Math.min(99.99, 100.0 * done / total);
    listener.on(new Progress(phase, percent, done, total, receivedBytes, 1, ""));
  }

  /** The receiving end: lends packed buffers to the link and moves what arrives. */
  private final class Blocks implements BulkReceiver {
    private @Nullable Transfer transfer;

    /** Runs GET to its end; blocks. */
    void transfer(Conversation link, int disk, Plan plan, IdFile ids, RestoreTarget target) {
      int bytes = plan.blockSize().bytes();
      int pairs =
          Math.min(memory.readBuffers(plan.blockSize()), memory.sendBuffers(plan.blockSize()));
      CpuPool.Lane lane = cpu.lane();
      ThreadPoolExecutor writers =
          new ThreadPoolExecutor(
              WRITERS,
              WRITERS,
              0,
              TimeUnit.SECONDS,
              new ArrayBlockingQueue<>(pairs),
              Thread.ofPlatform().daemon().name("restore-write-", 0).factory());
      try (BufferSet packed = memory.send().lease(bytes, pairs, () -> {});
          BufferSet plain = memory.read().lease(bytes, pairs, () -> {})) {
        Transfer running =
            new Transfer(link, disk, plan, ids, target, lane, writers, packed, plain);
        synchronized (RestoreSession.this) {
          transfer = running;
        }
        try {
          link.send(new Credit(pairs * BulkHeader.cost(plan.blockSize())));
          running.finish(link.ask(new Get(disk), Sent.class));
        } finally {
          link.close(); // nothing arrives any more: what is lent comes back
          awaitQuiet();
        }
      } finally {
        writers.close();
        lane.close();
      }
    }

    private Transfer current() {
      Transfer running;
      synchronized (RestoreSession.this) {
        running = transfer;
      }
      if (running == null) {
        throw new LinkException(
            ErrorCode.PROTOCOL_VIOLATION, "the repository sent a block before it was asked to");
      }
      return running;
    }

    @Override
    public BlockBuffer lend(BulkHeader header) {
      return current().lend(header);
    }

    @Override
    public int payloadOffset() {
      return 0;
    }

    @Override
    public void arrived(BulkHeader header, BlockBuffer buffer) {
      current().arrived(header, buffer);
    }

    @Override
    public void dropped(BlockBuffer buffer) {
      buffer.release();
      ended();
    }
  }

  private synchronized void ended() {
    moving--;
    notifyAll();
  }

  private synchronized void awaitQuiet() {
    boolean interrupted = false;
    while (moving > 0) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** One GET: what its blocks pass through. */
  private final class Transfer {
    private final Conversation link;
    private final int disk;
    private final Plan plan;
    private final IdFile ids;
    private final RestoreTarget target;
    private final CpuPool.Lane lane;
    private final ThreadPoolExecutor writers;
    private final BufferSet packed;
    private final BufferSet plain;

    Transfer(
        Conversation link,
        int disk,
        Plan plan,
        IdFile ids,
        RestoreTarget target,
        CpuPool.Lane lane,
        ThreadPoolExecutor writers,
        BufferSet packed,
        BufferSet plain) {
      this.link = link;
      this.disk = disk;
      this.plan = plan;
      this.ids = ids;
      this.target = target;
      this.lane = lane;
      this.writers = writers;
      this.packed = packed;
      this.plain = plain;
    }

    BlockBuffer lend(BulkHeader header) {
      long blockCount = plan.blockSize().count(plan.sizeBytes());
      if (header.kind() != BulkHeader.Kind.DATA
          || header.disk() != disk
          || header.block() < 0
          || header.block() >= blockCount
          || header.plainLength() != plan.blockSize().lengthAt(header.block(), plan.sizeBytes())) {
        throw new LinkException(
            ErrorCode.PROTOCOL_VIOLATION, "the repository sent a block that is not of this disk");
      }
      BlockBuffer buffer = packed.tryTake();
      if (buffer == null) {
        throw new LinkException(
            ErrorCode.PROTOCOL_VIOLATION, "the repository sent more than its credit");
      }
      synchronized (RestoreSession.this) {
        moving++;
      }
      return buffer;
    }

    void arrived(BulkHeader header, BlockBuffer buffer) {
      lane.late(worker -> unpack(worker, header, buffer));
    }

    private void unpack(CpuPool.Worker worker, BulkHeader header, BlockBuffer in) {
      BlockBuffer out = plain.tryTake();
      boolean writing = false;
      try {
        if (failed()) {
          return;
        }
        if (out == null) {
          throw new IllegalStateException("credit stands for a pair of buffers");
        }
        var payload = in.bytes(0, header.payloadLength());
        check(worker.digest().crc(payload) == header.payloadCrc(), header, "its checksum");
        worker.codec().unpack(header.codec(), payload, out.bytes(), header.plainLength());
        BlockId id = worker.digest().id(out.bytes(0, header.plainLength()));
        BlockId expected =
            ids.strike(header.block())
                .orElseThrow(
                    () ->
                        new LinkException(
                            ErrorCode.PROTOCOL_VIOLATION,
                            "block " + header.block() + " came twice or is a zero block"));
        check(id.equals(expected), header, "its id");
        writing = true;
        writers.execute(() -> write(header, in, out));
      } catch (RuntimeException e) {
        fail(e);
      } finally {
        if (!writing) {
          release(in, out);
        }
      }
    }

    private void check(boolean fits, BulkHeader header, String what) {
      if (!fits) {
        throw new DataException(
            ErrorCode.BLOCK_DAMAGED,
            Side.REPOSITORY,
            "block %d of disk %d does not have %s: it is damaged in the repository or on the way; verify the point"
                .formatted(header.block(), disk, what));
      }
    }

    private void write(BulkHeader header, BlockBuffer in, BlockBuffer out) {
      try {
        if (!failed()) {
          target.write(header.block() * plan.blockSize().bytes(), out, header.plainLength());
          wrote(header);
        }
      } catch (RuntimeException e) {
        fail(e);
      } finally {
        release(in, out);
      }
    }

    private void wrote(BulkHeader header) {
      long done;
      synchronized (RestoreSession.this) {
        writtenBytes += header.plainLength();
        receivedBytes += header.payloadLength();
        blocks++;
        done = writtenBytes;
      }
      if (done / TELL_EVERY_BYTES != (done - header.plainLength()) / TELL_EVERY_BYTES) {
        tell("restore", done, plan.dataBytes());
      }
    }

    private void release(BlockBuffer in, @Nullable BlockBuffer out) {
      if (out != null) {
        out.release();
      }
      in.release();
      link.send(new Credit(BulkHeader.cost(plan.blockSize())));
      ended();
    }

    private boolean failed() {
      synchronized (RestoreSession.this) {
        return failure != null;
      }
    }

    private void fail(RuntimeException error) {
      MoverException cause =
          error instanceof MoverException e
              ? e
              : MoverException.of(
                  ErrorCode.INTERNAL,
                  Side.PROXY,
                  "internal error, please report it: " + error,
                  error);
      synchronized (RestoreSession.this) {
        if (failure == null) {
          failure = cause;
        }
      }
      link.fail(cause);
    }

    /** SENT has come: all blocks have arrived, though not all are written. */
    void finish(Sent sent) {
      awaitQuiet();
      synchronized (RestoreSession.this) {
        if (failure != null) {
          throw failure;
        }
        if (sent.unreadable() > 0) {
          throw new DataException(
              ErrorCode.BLOCK_DAMAGED,
              Side.REPOSITORY,
              "%d blocks of the disk are damaged in the repository, for example: %s; verify the point and restore an earlier one"
                  .formatted(sent.unreadable(), sent.findings()));
        }
        if (blocks != plan.dataBlocks()) {
          throw new LinkException(
              ErrorCode.PROTOCOL_VIOLATION,
              "the repository sent %d of %d blocks".formatted(blocks, plan.dataBlocks()));
        }
      }
    }
  }

  private static final long TELL_EVERY_BYTES = 32L << 20;
}
