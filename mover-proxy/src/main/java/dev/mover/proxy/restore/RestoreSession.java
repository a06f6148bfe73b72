package dev.mover.proxy.restore;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.block.DiskDigest;
import dev.mover.api.error.DataException;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.api.error.LimitException;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.error.Side;
import dev.mover.api.point.Name;
import dev.mover.api.point.RestorePoint;
import dev.mover.proxy.Progress;
import dev.mover.proxy.ProxyMemory;
import dev.mover.proxy.RestoreRequest;
import dev.mover.proxy.RestoreResult;
import dev.mover.proxy.pipeline.CpuPool;
import dev.mover.proxy.pipeline.ProgressTeller;
import dev.mover.proxy.pipeline.TaskSlots;
import dev.mover.transport.frame.Point;
import dev.mover.transport.frame.ReadPoint;
import dev.mover.transport.link.LinkConnector;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * One disk on its way back.
 *
 * <pre>
 * map ─▶ ids on disk, digest checked ─▶ task slot ─▶ target opened and checked ─▶ GET ({@link Transfer})
 * </pre>
 *
 * <p>Nothing is written before the map's digest and the target have been checked. The caller's
 * thread runs it all.
 */
public final class RestoreSession {
  private final RestoreRequest request;
  private final ProxyMemory memory;
  private final CpuPool cpu;
  private final TaskSlots slots;
  private final ProgressTeller teller;
  private final LostRuns lost = new LostRuns();
  private final long startNs = System.nanoTime();

  public RestoreSession(
      RestoreRequest request,
      ProxyMemory memory,
      CpuPool cpu,
      TaskSlots slots,
      Progress.Listener listener) {
    this.request = request;
    this.memory = memory;
    this.cpu = cpu;
    this.slots = slots;
    this.teller = new ProgressTeller(listener);
  }

  /** Runs the restore; blocks until the target is durable. */
  public RestoreResult run(LinkConnector connector) {
    tell("connect", 0, "");
    BulkGate gate = new BulkGate();
    try (Conversation link = new Conversation(connector, gate);
        IdFile ids = IdFile.create()) {
      RestorePoint point =
          link.ask(
                  new ReadPoint(request.machine(), request.sequence(), request.tolerant()),
                  Point.class)
              .point();
      PointKeys keys = PointKeys.read(link, point, request.domain());
      int disk = find(point);
      keys.checkSeal(request.machine(), request.sequence(), point.disks().get(disk));
      Plan plan = readMap(link, point, disk, ids);
      try (TaskSlots.Holder slot =
          slots.holder(memory.slotsPerTask(plan.blockSize()), this::wake)) {
        awaitSlot(slot, plan);
        try {
          return write(link, gate, point, plan, keys, ids);
        } finally {
          slot.giveBack();
        }
      }
    }
  }

  private RestoreResult write(
      Conversation link, BulkGate gate, RestorePoint point, Plan plan, PointKeys keys, IdFile ids) {
    try (RestoreTarget target =
        RestoreTarget.open(
            request.target(), plan.sizeBytes(), plan.dataBytes(), request.overwrite())) {
      target.begin();
      if (target.keepsOldContent()) {
        zeroHoles(link, plan, target);
      }
      Transfer transfer =
          new Transfer(link, plan, keys, ids, target, request.tolerant(), memory, cpu, teller);
      BadRanges bad = new BadRanges(plan);
      try (transfer) {
        gate.open(transfer);
        if (transfer.run() > 0) {
          ids.eachLeft(
              plan.blocks(),
              block -> {
                lost.takeBefore(block, (from, count) -> leaveOut(from, count, plan, target, bad));
                leaveOut(block, 1, plan, target, bad);
              });
        }
        lost.takeBefore(plan.blocks(), (from, count) -> leaveOut(from, count, plan, target, bad));
      }
      target.finish();
      teller.tell(
          new Progress(
              "done",
              100,
              plan.dataBytes(),
              plan.dataBytes(),
              transfer.receivedBytes(),
              0,
              "",
              null));
      return new RestoreResult(
          point.machine().value(),
          point.sequence(),
          point.disks().get(plan.disk()).spec().name().value(),
          plan.sizeBytes(),
          transfer.writtenBytes(),
          transfer.receivedBytes(),
          Duration.ofNanos(System.nanoTime() - startNs),
          bad.ranges(),
          bad.bytes());
    }
  }

  /** Damaged or lost blocks: a hole in a file, which is empty so far; on a device zeros. */
  private static void leaveOut(
      long block, long count, Plan plan, RestoreTarget target, BadRanges bad) {
    bad.add(block, count);
    if (target.keepsOldContent()) {
      target.zero(plan.offset(block), plan.lengthOf(block, count));
    }
  }

  private int find(RestorePoint point) {
    List<Name> names = point.disks().stream().map(d -> d.spec().name()).toList();
    Optional<Name> wanted = request.disk();
    if (wanted.isEmpty() && names.size() != 1) {
      throw new InputException(
          ErrorCode.BAD_USAGE,
          "point %d of %s has %d disks, name one with --disk: %s"
              .formatted(point.sequence(), point.machine(), names.size(), list(names)));
    }
    int disk = wanted.isEmpty() ? 0 : names.indexOf(wanted.get());
    if (disk < 0) {
      throw new RepositoryException(
          ErrorCode.NO_SUCH_DISK,
          "point %d of %s has no disk %s; it has %s"
              .formatted(point.sequence(), point.machine(), wanted.orElseThrow(), list(names)));
    }
    return disk;
  }

  private static String list(List<Name> names) {
    return names.stream().map(Name::value).collect(Collectors.joining(", "));
  }

  private Plan readMap(Conversation link, RestorePoint point, int disk, IdFile ids) {
    RestorePoint.Disk described = point.disks().get(disk);
    BlockSize size = point.blockSize();
    long sizeBytes = described.spec().sizeBytes();
    DiskDigest digest = new DiskDigest(sizeBytes, size);
    long[] data = new long[2];
    new DiskMap(link, disk, size.count(sizeBytes), request.tolerant())
        .eachRun(
            (block, run) -> {
              BlockId id = run.id();
              if (run.lost()) {
                lost.add(block, run.count());
              } else if (id == null) {
                digest.addZeros(run.count());
              } else {
                digest.addBlock(id);
                ids.expect(block, id);
                data[0]++;
                data[1] += size.lengthAt(block, sizeBytes);
              }
            });
    ids.flush();
    if (lost.isEmpty() && !digest.finish().equals(described.digest())) {
      throw new DataException(
          ErrorCode.DIGEST_MISMATCH,
          Side.REPOSITORY,
          "the map of disk %s in point %d of %s does not have the disk's digest; nothing was written, verify the repository"
              .formatted(described.spec().name(), point.sequence(), point.machine()));
    }
    return new Plan(disk, size, sizeBytes, data[0], data[1]);
  }

  private void zeroHoles(Conversation link, Plan plan, RestoreTarget target) {
    new DiskMap(link, plan.disk(), plan.blocks(), request.tolerant())
        .eachRun(
            (block, run) -> {
              if (run.id() == null) {
                long offset = plan.offset(block);
                long next = block + run.count();
                long end = next == plan.blocks() ? plan.sizeBytes() : plan.offset(next);
                target.zero(offset, end - offset);
              }
            });
  }

  /** Waits until this restore may run as a task of the proxy. */
  private synchronized void awaitSlot(TaskSlots.Holder slot, Plan plan) {
    while (!slot.tryTake()) {
      tell("queue", plan.dataBytes(), slot.waitsFor());
      try {
        wait();
      } catch (InterruptedException e) {
        throw new LimitException(
            ErrorCode.CANCELLED, Side.PROXY, "cancelled while waiting for a task slot", e);
      }
    }
  }

  private synchronized void wake() {
    notifyAll();
  }

  private void tell(String phase, long total, String detail) {
    teller.tell(new Progress(phase, 0, 0, total, 0, 0, detail, null));
  }
}
