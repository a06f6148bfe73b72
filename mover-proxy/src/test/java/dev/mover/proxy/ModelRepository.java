package dev.mover.proxy;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.block.DiskDigest;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.error.Side;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.memory.BufferSet;
import dev.mover.api.point.DiskSpec;
import dev.mover.api.point.Name;
import dev.mover.api.point.RestorePoint;
import dev.mover.transport.frame.Abort;
import dev.mover.transport.frame.Ack;
import dev.mover.transport.frame.Answer;
import dev.mover.transport.frame.BeginDisk;
import dev.mover.transport.frame.BulkHeader;
import dev.mover.transport.frame.Commit;
import dev.mover.transport.frame.CommitProgress;
import dev.mover.transport.frame.Committed;
import dev.mover.transport.frame.Credit;
import dev.mover.transport.frame.EndDisk;
import dev.mover.transport.frame.ErrorFrame;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.Get;
import dev.mover.transport.frame.Granted;
import dev.mover.transport.frame.MapPart;
import dev.mover.transport.frame.MapPart.MapRun;
import dev.mover.transport.frame.Need;
import dev.mover.transport.frame.Offer;
import dev.mover.transport.frame.Open;
import dev.mover.transport.frame.Opened;
import dev.mover.transport.frame.Point;
import dev.mover.transport.frame.Queued;
import dev.mover.transport.frame.ReadMap;
import dev.mover.transport.frame.ReadPoint;
import dev.mover.transport.frame.Sent;
import dev.mover.transport.frame.TargetFigures;
import dev.mover.transport.frame.Zero;
import dev.mover.transport.link.BulkReceiver;
import dev.mover.transport.link.FrameLink;
import dev.mover.transport.link.LinkServer;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.BiConsumer;
import org.jspecify.annotations.NullUnmarked;
import org.jspecify.annotations.Nullable;

/**
 * A repository in memory that keeps to the protocol and checks that its proxy does: coverage in
 * block order, blocks sent once and only when wanted, credit, slots, END_DISK after all ACKs. Tests
 * bend it by its public fields.
 */
@NullUnmarked // maps by disk number: a miss is a failed test either way
final class ModelRepository implements LinkServer {
  /** A stored block, packed as it came. */
  private record Stored(BulkHeader header, byte[] payload) {}

  int slots = 8;
  int creditFrames = 4;

  /** Grant no credit with a session's later disks: they share that of its first. */
  boolean creditForFirstOnly;

  /** Disk of every block in order of arrival. */
  final List<Integer> arrivals = new ArrayList<>();

  /** Hold back this many ACKs before answering any of them; tests back-pressure. */
  boolean holdAcks;

  /** On the first COMMIT, ask for these blocks of disk 0 again. */
  List<Long> needOnce = List.of();

  /** Flip a payload bit of every DATA sent. */
  boolean damageData;

  /** Flip a payload bit of the DATA of these blocks only. */
  Set<Long> damagedBlocks = Set.of();

  /** Say of these blocks that they can't be read. */
  Set<Long> unreadableBlocks = Set.of();

  /** Say of these blocks that the map has lost them, to whoever asks. */
  Set<Long> lostBlocks = Set.of();

  /** Answer GET with nothing at all. */
  boolean holdData;

  /** Send every DATA twice. */
  boolean repeatData;

  /** Fail with this after so many blocks. */
  int failAfterBlocks = Integer.MAX_VALUE;

  /** Asked for every control frame before it is dealt with; may throw, or close the link. */
  BiConsumer<Frame, FrameLink> onFrame = (frame, link) -> {};

  /** Break the link in the instant COMMITTED is out. */
  boolean closeAfterCommitted;

  /** Said instead of COMMITTED, once: what a repository must not say. */
  @Nullable Frame insteadOfCommitted;

  /** Disks in the order they were granted, as {@code machine/disk}. */
  final List<String> grants = new ArrayList<>();

  final List<String> aborts = new ArrayList<>();
  int streamingNow;
  int mostStreaming;
  int received;

  private final Map<BlockId, Stored> blocks = new HashMap<>();
  private final Map<Name, List<KeptPoint>> points = new HashMap<>();
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private final Set<ModelSession> live = new HashSet<>();
  final BufferPool pool = new BufferPool("model", Side.REPOSITORY, 128L << 20);

  private record Waiting(ModelSession session, int disk) {}

  private record KeptPoint(RestorePoint point, List<TreeMap<Long, MapRun>> maps) {}

  @Override
  public Session accept(String peer) {
    return new ModelSession();
  }

  private final class ModelSession implements Session, BulkReceiver {
    private @Nullable FrameLink link;
    private @Nullable Open open;
    private @Nullable BufferSet buffers;
    private final Map<Integer, TreeMap<Long, MapRun>> maps = new HashMap<>();
    private final Map<Integer, Long> next = new HashMap<>();
    private final Map<Integer, Set<Long>> wanted = new HashMap<>();
    private final Map<Integer, BlockId> digests = new HashMap<>();
    private final Set<Integer> granted = new HashSet<>();
    private final List<Ack> held = new ArrayList<>();
    private long credit;
    private @Nullable KeptPoint reading;
    private long readCredit;
    private final Deque<Stored> toSend = new ArrayDeque<>();
    private long sentBlocks = -1;
    private long unreadable;
    private int readDisk;

    @Override
    public BulkReceiver receiver() {
      return this;
    }

    @Override
    public void start(FrameLink started) {
      link = started;
      synchronized (ModelRepository.this) {
        live.add(this);
      }
      started.onClose().subscribe(_ -> {}, error -> closed(), this::closed);
      started.control().subscribe(this::onFrame, error -> ended(), this::ended);
    }

    private void ended() {
      synchronized (ModelRepository.this) {
        waiting.removeIf(w -> w.session == this);
        granted.removeAll(digests.keySet());
        granted.forEach(disk -> freeSlot());
        if (buffers != null) {
          buffers.close();
        }
      }
    }

    /** Later than {@link #ended}: a buffer that was lent for half a payload is back now. */
    private void closed() {
      synchronized (ModelRepository.this) {
        live.remove(this);
        ModelRepository.this.notifyAll();
      }
    }

    private FrameLink link() {
      return java.util.Objects.requireNonNull(link);
    }

    private Open open() {
      return java.util.Objects.requireNonNull(open);
    }

    private void onFrame(Frame frame) {
      try {
        synchronized (ModelRepository.this) {
          onFrame.accept(frame, link());
          take(frame);
        }
      } catch (dev.mover.api.error.MoverException e) {
        link().send(new ErrorFrame(e.code().number(), e.side(), e.getMessage()));
        link().close();
      }
    }

    private void take(Frame frame) {
      switch (frame) {
        case Open o -> {
          open = o;
          buffers =
              pool.lease(
                  (int) BulkHeader.cost(o.blockSize()), creditFrames * o.disks().size(), () -> {});
          List<KeptPoint> kept = points.getOrDefault(o.machine(), List.of());
          link().send(new Opened(o.sessionId(), kept.size() + 1, kept.size()));
        }
        case BeginDisk b -> begin(b.disk());
        case Zero z -> add(z.disk(), z.firstBlock(), new MapRun(null, z.count()));
        case Offer o -> answer(o);
        case EndDisk e -> endDisk(e);
        case Commit c -> commit();
        case Abort a -> aborts.add(a.reason());
        case ReadPoint r -> readPoint(r);
        case ReadMap r -> readMap(r);
        case Credit c -> {
          readCredit += c.bytes();
          pump();
        }
        case Get g -> get(g.disk());
        default -> throw violation("unexpected " + frame);
      }
    }

    private void begin(int disk) {
      check(!maps.containsKey(disk), "disk begun twice");
      maps.put(disk, new TreeMap<>());
      next.put(disk, 0L);
      wanted.put(disk, new HashSet<>());
      if (streamingNow < slots) {
        grant(disk);
      } else {
        waiting.add(new Waiting(this, disk));
        link().send(new Queued(disk, waiting.size(), "model is full"));
      }
    }

    private void grant(int disk) {
      granted.add(disk);
      grants.add(open().machine() + "/" + disk);
      streamingNow++;
      mostStreaming = Math.max(mostStreaming, streamingNow);
      long bytes =
          creditForFirstOnly && granted.size() > 1
              ? 0
              : creditFrames * BulkHeader.cost(open().blockSize());
      credit += bytes;
      link().send(new Granted(disk, bytes));
    }

    private void freeSlot() {
      streamingNow--;
      Waiting next = waiting.poll();
      if (next != null) {
        next.session.grant(next.disk);
      }
    }

    private void add(int disk, long first, MapRun run) {
      check(next.containsKey(disk), "disk not begun");
      check(next.get(disk) == first, "gap at block " + first + ", expected " + next.get(disk));
      check(run.count() > 0, "empty run");
      maps.get(disk).put(first, run);
      next.put(disk, first + run.count());
      check(
          next.get(disk) <= open().blockSize().count(open().disks().get(disk).sizeBytes()),
          "past the end");
    }

    private void answer(Offer offer) {
      BitSet bits = new BitSet();
      for (int i = 0; i < offer.ids().size(); i++) {
        BlockId id = offer.ids().get(i);
        add(offer.disk(), offer.firstBlock() + i, new MapRun(id, 1));
        if (!blocks.containsKey(id)) {
          bits.set(i);
          wanted.get(offer.disk()).add(offer.firstBlock() + i);
        }
      }
      link().send(new Answer(offer.disk(), offer.firstBlock(), offer.ids().size(), bits));
    }

    private void endDisk(EndDisk end) {
      DiskSpec spec = open().disks().get(end.disk());
      check(wanted.get(end.disk()).isEmpty(), "disk ended with blocks missing");
      check(next.get(end.disk()) == open().blockSize().count(spec.sizeBytes()), "disk ended early");
      check(digest(spec, open().blockSize(), maps.get(end.disk())).equals(end.digest()), "digest");
      digests.put(end.disk(), end.digest());
      freeSlot();
    }

    private void commit() {
      check(digests.size() == open().disks().size(), "commit before all disks ended");
      // Cleared before it is said: whoever hears it may set the next one at once.
      if (!needOnce.isEmpty()) {
        List<Long> need = needOnce;
        needOnce = List.of();
        wanted.get(0).addAll(need);
        link().send(new Need(0, need, true));
        return;
      }
      if (insteadOfCommitted != null) {
        Frame instead = insteadOfCommitted;
        insteadOfCommitted = null;
        link().send(instead);
        return;
      }
      List<RestorePoint.Disk> disks = new ArrayList<>();
      List<TreeMap<Long, MapRun>> kept = new ArrayList<>();
      for (int i = 0; i < open().disks().size(); i++) {
        disks.add(new RestorePoint.Disk(open().disks().get(i), digests.get(i)));
        kept.add(maps.get(i));
      }
      List<KeptPoint> list = points.computeIfAbsent(open().machine(), m -> new ArrayList<>());
      UUID file = new UUID(7, list.size());
      RestorePoint point =
          new RestorePoint(
              open().machine(),
              list.size() + 1,
              file,
              open().sessionId(),
              Instant.EPOCH,
              open().blockSize(),
              disks,
              0,
              0);
      list.add(new KeptPoint(point, kept));
      link().send(new CommitProgress(50, "clone"));
      link().send(new Committed(list.size(), file, 0, 0, 0, 0, 0, TargetFigures.NONE, List.of()));
      if (closeAfterCommitted) {
        link().close();
      }
    }

    private void readPoint(ReadPoint read) {
      List<KeptPoint> kept = points.get(read.machine());
      if (kept == null) {
        throw new RepositoryException(ErrorCode.NO_SUCH_POINT, "no point of " + read.machine());
      }
      reading = read.sequence() == 0 ? kept.getLast() : kept.get((int) read.sequence() - 1);
      link().send(new Point(reading.point()));
    }

    private KeptPoint reading() {
      return java.util.Objects.requireNonNull(reading);
    }

    private void readMap(ReadMap read) {
      // Small parts, so that clients must ask more than once.
      List<MapRun> runs =
          reading().maps().get(read.disk()).tailMap(read.fromBlock()).entrySet().stream()
              .limit(5)
              .map(e -> lostBlocks.contains(e.getKey()) ? lost(e.getValue()) : e.getValue())
              .toList();
      link().send(new MapPart(read.disk(), read.fromBlock(), runs));
    }

    private static MapRun lost(MapRun run) {
      return new MapRun(null, run.count(), true);
    }

    private void get(int disk) {
      readDisk = disk;
      sentBlocks = 0;
      reading()
          .maps()
          .get(disk)
          .forEach(
              (block, run) -> {
                if (run.id() != null && !lostBlocks.contains(block)) {
                  Stored stored = blocks.get(run.id());
                  BulkHeader h = stored.header();
                  BulkHeader data =
                      new BulkHeader(
                          BulkHeader.Kind.DATA,
                          disk,
                          block,
                          h.id(),
                          h.codec(),
                          h.plainLength(),
                          h.payloadLength(),
                          h.payloadCrc(),
                          h.envelope());
                  toSend.addFirst(new Stored(data, stored.payload())); // back to front
                  if (repeatData) {
                    toSend.addFirst(new Stored(data, stored.payload()));
                  }
                }
              });
      sentBlocks = toSend.size();
      pump();
    }

    private void pump() {
      if (reading == null || holdData) {
        return;
      }
      long cost = BulkHeader.cost(reading().point().blockSize());
      while (!toSend.isEmpty() && readCredit >= cost) {
        Stored stored = toSend.remove();
        readCredit -= cost;
        byte[] payload = stored.payload().clone();
        if (unreadableBlocks.contains(stored.header().block())) {
          readCredit += cost;
          unreadable++;
          continue;
        }
        if (damageData || damagedBlocks.contains(stored.header().block())) {
          payload[payload.length / 2] ^= 1;
        }
        ByteBuffer direct = ByteBuffer.allocateDirect(payload.length).put(payload).flip();
        link().sendBulk(stored.header(), direct, () -> {});
      }
      if (toSend.isEmpty() && sentBlocks >= 0) {
        link().send(new Sent(readDisk, sentBlocks - unreadable, unreadable, List.of()));
        sentBlocks = -1;
        unreadable = 0;
      }
    }

    @Override
    public BlockBuffer lend(BulkHeader header) {
      synchronized (ModelRepository.this) {
        check(wanted.get(header.disk()).contains(header.block()), "block not wanted");
        credit -= BulkHeader.cost(open().blockSize());
        check(credit >= 0, "beyond credit");
        BlockBuffer buffer = java.util.Objects.requireNonNull(buffers).tryTake();
        check(buffer != null, "beyond credit");
        return java.util.Objects.requireNonNull(buffer);
      }
    }

    @Override
    public int payloadOffset() {
      return 128;
    }

    @Override
    public void arrived(BulkHeader header, BlockBuffer buffer) {
      byte[] payload = new byte[header.payloadLength()];
      buffer.bytes(128, payload.length).get(payload);
      buffer.release();
      synchronized (ModelRepository.this) {
        arrivals.add(header.disk());
        if (++received > failAfterBlocks) {
          link()
              .send(
                  new ErrorFrame(
                      ErrorCode.REPOSITORY_FULL.number(), Side.REPOSITORY, "model is full"));
          link().close();
          return;
        }
        wanted.get(header.disk()).remove(header.block());
        MapRun run = maps.get(header.disk()).get(header.block());
        check(header.id().equals(run.id()), "block with another id than offered");
        blocks.put(header.id(), new Stored(header, payload));
        held.add(new Ack(header.disk(), List.of(header.block())));
        if (!holdAcks) {
          acknowledge();
        }
      }
    }

    private void acknowledge() {
      for (Ack ack : held) {
        long bytes = BulkHeader.cost(open().blockSize());
        credit += bytes;
        link().send(ack);
        link().send(new Credit(bytes));
      }
      held.clear();
    }

    @Override
    public void dropped(BlockBuffer buffer) {
      buffer.release();
    }

    private void check(boolean fine, String what) {
      if (!fine) {
        throw violation(what);
      }
    }

    private LinkException violation(String what) {
      return new LinkException(ErrorCode.PROTOCOL_VIOLATION, what);
    }
  }

  static BlockId digest(DiskSpec spec, BlockSize size, Map<Long, MapRun> map) {
    DiskDigest digest = new DiskDigest(spec.sizeBytes(), size);
    map.values()
        .forEach(
            run -> {
              if (run.id() == null) {
                digest.addZeros(run.count());
              } else {
                digest.addBlock(run.id());
              }
            });
    return digest.finish();
  }

  /** Lets held ACKs go, and those to come. */
  synchronized void letGo() {
    holdAcks = false;
    live.forEach(ModelSession::acknowledge);
  }

  /** Waits until no link is open on this side: the other side's end may come first. */
  synchronized void awaitIdle() throws InterruptedException {
    while (!live.isEmpty()) {
      wait();
    }
  }

  synchronized int pointsOf(Name machine) {
    return points.getOrDefault(machine, List.of()).size();
  }

  synchronized int receivedBlocks() {
    return received;
  }
}
