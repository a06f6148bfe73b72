package dev.mover.repository.serve;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.point.Name;
import dev.mover.api.point.RestorePoint;
import dev.mover.repository.catalogue.PointList;
import dev.mover.repository.extent.ExtentLayout;
import dev.mover.repository.file.MapEntry.Slot;
import dev.mover.repository.file.MapEntry.Zeros;
import dev.mover.repository.link.LinkContext;
import dev.mover.repository.link.LinkRole;
import dev.mover.transport.frame.Credit;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.Get;
import dev.mover.transport.frame.Keys;
import dev.mover.transport.frame.ListPoints;
import dev.mover.transport.frame.MapPart;
import dev.mover.transport.frame.MapPart.MapRun;
import dev.mover.transport.frame.Point;
import dev.mover.transport.frame.Points;
import dev.mover.transport.frame.ReadKeys;
import dev.mover.transport.frame.ReadMap;
import dev.mover.transport.frame.ReadPoint;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A link that lists and reads points, one point at a time. Strand only; blocks on metadata. Needs
 * no task slot, so a restore runs whatever backups do.
 */
public final class PointReading implements LinkRole {
  private final LinkContext link;
  private final ServeServices services;
  private final PointList points;
  private @Nullable OpenPoint point;
  private @Nullable MapRuns runs;
  private int runsDisk;
  private long runsBlock;
  private @Nullable GetPump pump;
  private long creditBytes;
  private boolean ended;
  private Runnable whenReleased = () -> {};

  public PointReading(LinkContext link, ServeServices services) {
    this.link = link;
    this.services = services;
    this.points = services.points().get();
  }

  @Override
  public void onFrame(Frame frame) {
    switch (frame) {
      case ListPoints f -> list(f);
      case ReadPoint f -> readPoint(f);
      case ReadMap f -> readMap(f);
      case ReadKeys f ->
          link.send(new Keys(f.first(), open().file().keys(f.first(), Keys.MAX_KEYS)));
      case Get f -> get(f);
      case Credit f -> credit(f);
      default ->
          throw LinkContext.violation(
              frame.getClass().getSimpleName() + " has no place where points are read");
    }
  }

  private void list(ListPoints frame) {
    int asked = Points.MAX_POINTS;
    List<RestorePoint> found =
        points.after(frame.machine(), frame.afterMachine(), frame.afterSequence(), asked);
    link.send(Points.fitting(found, found.size() < asked));
  }

  private void readPoint(ReadPoint frame) {
    if (pump != null) {
      throw LinkContext.violation("READ_POINT during a GET");
    }
    closePoint();
    OpenPoint opened =
        OpenPoint.open(
            services.files(),
            find(frame.machine(), frame.sequence()),
            services.metadata(),
            frame.tolerant());
    point = opened;
    link.send(new Point(opened.file().point()));
  }

  private Path find(Name machine, long sequence) {
    List<Path> paths = points.files(machine.value());
    if (sequence == 0 && !paths.isEmpty()) {
      return paths.getLast();
    }
    return paths.stream()
        .filter(p -> ExtentLayout.parse(p).orElseThrow().sequence() == sequence)
        .findFirst()
        .orElseThrow(() -> noSuchPoint(machine, sequence, paths.size()));
  }

  private RepositoryException noSuchPoint(Name machine, long sequence, int count) {
    String what =
        count == 0
            ? "there is no point of machine " + machine
            : "machine %s has no point %d, but %d others".formatted(machine, sequence, count);
    return new RepositoryException(
        ErrorCode.NO_SUCH_POINT,
        "%s: %s; list the points to see what there is".formatted(services.layout().root(), what));
  }

  private void readMap(ReadMap frame) {
    OpenPoint open = open();
    long blocks = open.blocks(frame.disk());
    if (frame.fromBlock() < 0 || frame.fromBlock() > blocks) {
      throw LinkContext.violation(
          "READ_MAP from block %d of %d".formatted(frame.fromBlock(), blocks));
    }
    List<MapRun> part = new ArrayList<>();
    if (frame.fromBlock() < blocks) {
      fill(runsAt(open, frame.disk(), frame.fromBlock()), frame.fromBlock(), part);
    }
    link.send(new MapPart(frame.disk(), frame.fromBlock(), part));
  }

  private MapRuns runsAt(OpenPoint open, int disk, long block) {
    MapRuns at = runs;
    if (at == null || runsDisk != disk || runsBlock != block) {
      closeRuns();
      at = open.runs(disk);
      runs = at;
      runsDisk = disk;
      at.seek(block);
    }
    return at;
  }

  /** Adds runs from {@code from} on; leaves {@code at} at the first of the next part. */
  private void fill(MapRuns at, long from, List<MapRun> part) {
    long block = from;
    boolean more = true;
    while (more && part.size() < MapPart.MAX_RUNS) {
      part.add(
          switch (at.entry()) {
            case Slot slot -> new MapRun(slot.id(), 1);
            case Zeros _ -> new MapRun(null, at.endBlock() - block);
            case null -> new MapRun(null, at.endBlock() - block, true);
          });
      block = at.endBlock();
      more = at.next();
    }
    runsBlock = block;
  }

  private void get(Get frame) {
    if (pump != null) {
      throw LinkContext.violation("a second GET before SENT");
    }
    OpenPoint open = open();
    open.disk(frame.disk());
    GetPump started = new GetPump(link, services, open, frame.disk(), this::sent);
    pump = started;
    long credit = creditBytes;
    creditBytes = 0;
    started.start(credit);
  }

  private void sent() {
    GetPump finished = pump;
    if (finished != null) {
      creditBytes += finished.creditBytes();
      pump = null;
    }
    if (ended) {
      closePoint();
      whenReleased.run();
    }
  }

  private void credit(Credit frame) {
    GetPump running = pump;
    long before = running == null ? creditBytes : running.creditBytes();
    if (frame.bytes() > Long.MAX_VALUE - before) {
      throw LinkContext.violation("CREDIT of more than 2^63 bytes in all");
    }
    if (running != null) {
      running.addCredit(frame.bytes());
    } else {
      creditBytes += frame.bytes();
    }
  }

  private OpenPoint open() {
    OpenPoint open = point;
    if (open == null) {
      throw LinkContext.violation("a frame about a point before READ_POINT");
    }
    return open;
  }

  private void closeRuns() {
    if (runs != null) {
      runs.close();
      runs = null;
    }
  }

  private void closePoint() {
    closeRuns();
    if (point != null) {
      point.close();
      point = null;
    }
  }

  @Override
  public void end() {
    if (ended) {
      return;
    }
    ended = true;
    GetPump running = pump;
    if (running != null) {
      running.close(); // closes the point when its reads have come back
    } else {
      closePoint();
    }
  }

  @Override
  public void whenReleased(Runnable then) {
    if (pump == null) {
      then.run();
    } else {
      whenReleased = then;
    }
  }
}
