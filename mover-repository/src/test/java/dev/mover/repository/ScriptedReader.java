package dev.mover.repository;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.block.DiskDigest;
import dev.mover.api.error.Side;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.memory.BufferSet;
import dev.mover.api.point.Name;
import dev.mover.api.point.RestorePoint;
import dev.mover.api.point.Verdict;
import dev.mover.dedup.codec.zstd.ZstdBlockCodec;
import dev.mover.dedup.digest.BlockDigest;
import dev.mover.transport.frame.BulkHeader;
import dev.mover.transport.frame.Credit;
import dev.mover.transport.frame.Damage;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.Get;
import dev.mover.transport.frame.ListPoints;
import dev.mover.transport.frame.MapPart;
import dev.mover.transport.frame.Point;
import dev.mover.transport.frame.Points;
import dev.mover.transport.frame.ReadMap;
import dev.mover.transport.frame.ReadPoint;
import dev.mover.transport.frame.Sent;
import dev.mover.transport.frame.VerdictFrame;
import dev.mover.transport.frame.Verify;
import dev.mover.transport.link.BulkReceiver;
import dev.mover.transport.link.LinkServer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lists, restores into memory and verifies; checks on the way all that a restore must check. */
final class ScriptedReader implements AutoCloseable {
  private static final int BUFFERS = 4;

  private final Received received = new Received();
  private final ScriptedProxy link;

  ScriptedReader(LinkServer server) {
    this.link = new ScriptedProxy(server, BlockSize.MIB_1, received);
  }

  static byte[] restore(LinkServer server, String machine, long sequence, int disk) {
    try (ScriptedReader reader = new ScriptedReader(server)) {
      return reader.restore(machine, sequence, disk);
    }
  }

  static List<RestorePoint> points(LinkServer server, String machine) {
    try (ScriptedReader reader = new ScriptedReader(server)) {
      return reader.points(machine);
    }
  }

  static List<Verdict> verify(LinkServer server, String machine, boolean data) {
    try (ScriptedReader reader = new ScriptedReader(server)) {
      return reader.verify(machine, 0, data);
    }
  }

  ScriptedProxy link() {
    return link;
  }

  List<RestorePoint> points(String machine) {
    List<RestorePoint> all = new ArrayList<>();
    String afterMachine = "";
    long afterSequence = 0;
    while (true) {
      link.send(new ListPoints(machine, afterMachine, afterSequence));
      Points batch = link.expect(Points.class);
      all.addAll(batch.points());
      if (batch.last()) {
        return all;
      }
      afterMachine = all.getLast().machine().value();
      afterSequence = all.getLast().sequence();
    }
  }

  List<Verdict> verify(String machine, long sequence, boolean data) {
    return look(machine, sequence, data).verdicts();
  }

  /** What a verification says. */
  record Look(List<Verdict> verdicts, List<Damage> damage) {
    /** One line a damaged block: machine, point, disk, offset, length. */
    List<String> lines() {
      return damage.stream()
          .flatMap(
              d ->
                  d.blocks().stream()
                      .map(
                          b ->
                              "%s %d %s %d %d"
                                  .formatted(
                                      d.machine(),
                                      d.sequence(),
                                      d.disk(),
                                      b.offset(),
                                      b.lengthBytes())))
          .toList();
    }
  }

  static Look look(LinkServer server, String machine, long sequence) {
    try (ScriptedReader reader = new ScriptedReader(server)) {
      return reader.look(machine, sequence, true);
    }
  }

  private Look look(String machine, long sequence, boolean data) {
    link.send(new Verify(machine, sequence, data));
    Look look = new Look(new ArrayList<>(), new ArrayList<>());
    while (true) {
      switch (link.expect(Frame.class)) {
        case Damage damage -> look.damage().add(damage);
        case VerdictFrame frame when frame.verdict() != null ->
            look.verdicts().add(frame.verdict());
        default -> {
          return look;
        }
      }
    }
  }

  RestorePoint read(String machine, long sequence) {
    link.send(new ReadPoint(new Name(machine), sequence, false));
    return link.expect(Point.class).point();
  }

  /** Everything the repository says of a point, which need not be right. */
  void readAll(String machine, long sequence, boolean tolerant) {
    link.send(new ReadPoint(new Name(machine), sequence, tolerant));
    RestorePoint point = link.expect(Point.class).point();
    for (int disk = 0; disk < point.disks().size(); disk++) {
      long blocks = point.blockSize().count(point.disks().get(disk).spec().sizeBytes());
      long block = 0;
      while (block < blocks) {
        link.send(new ReadMap(disk, block));
        for (MapPart.MapRun run : link.expect(MapPart.class).runs()) {
          if (run.count() < 1 || run.count() > blocks - block) {
            throw new AssertionError("a run of " + run.count() + " at block " + block);
          }
          block += run.count();
        }
      }
      received.take(point.blockSize(), link);
      link.send(new Get(disk));
      link.send(new Credit(BUFFERS * BulkHeader.cost(point.blockSize())));
      link.expect(Sent.class);
      received.finish();
    }
  }

  byte[] restore(String machine, long sequence, int disk) {
    RestorePoint point = read(machine, sequence);
    long size = point.disks().get(disk).spec().sizeBytes();
    @Nullable BlockId[] map = map(point, disk);
    byte[] out = new byte[(int) size];
    Sent sent = get(point, disk, map, out);
    if (sent.unreadable() != 0) {
      throw new AssertionError("unreadable: " + sent.findings());
    }
    return out;
  }

  /** The ids of all blocks, null for zeros; checks coverage and digest. */
  @Nullable BlockId[] map(RestorePoint point, int disk) {
    BlockSize blockSize = point.blockSize();
    long size = point.disks().get(disk).spec().sizeBytes();
    @Nullable BlockId[] ids = new @Nullable BlockId[(int) blockSize.count(size)];
    DiskDigest digest = new DiskDigest(size, blockSize);
    int block = 0;
    while (block < ids.length) {
      link.send(new ReadMap(disk, block));
      for (MapPart.MapRun run : link.expect(MapPart.class).runs()) {
        BlockId id = run.id();
        if (id == null) {
          digest.addZeros(run.count());
        } else {
          digest.addBlock(id);
          ids[block] = id;
        }
        block += (int) run.count();
      }
    }
    if (!digest.finish().equals(point.disks().get(disk).digest())) {
      throw new AssertionError("the map does not have the disk's digest");
    }
    return ids;
  }

  Sent get(RestorePoint point, int disk, @Nullable BlockId[] map, byte[] out) {
    link.send(new Get(disk));
    return goOn(point, map, out);
  }

  /** Gives credit for a GET that was sent, and takes all of it. */
  Sent goOn(RestorePoint point, @Nullable BlockId[] map, byte[] out) {
    received.begin(point.blockSize(), map, out, link);
    link.send(new Credit(BUFFERS * BulkHeader.cost(point.blockSize())));
    Sent sent = link.expect(Sent.class);
    received.finish();
    return sent;
  }

  @Override
  public void close() {
    link.close();
    received.finish();
  }

  private static final class Received implements BulkReceiver {
    private final BufferPool pool = new BufferPool("test", Side.PROXY, 64 << 20);
    private @Nullable BufferSet buffers;
    private BlockSize blockSize = BlockSize.MIB_1;
    private @Nullable BlockId[] map = new @Nullable BlockId[0];
    private byte[] out = new byte[0];
    private @Nullable ScriptedProxy link;
    private boolean checks;

    synchronized void begin(
        BlockSize size, @Nullable BlockId[] ids, byte[] into, ScriptedProxy over) {
      blockSize = size;
      map = ids;
      out = into;
      link = over;
      checks = true;
      buffers = pool.lease((int) BulkHeader.cost(size), BUFFERS, () -> {});
    }

    /** Whatever comes. */
    synchronized void take(BlockSize size, ScriptedProxy over) {
      begin(size, new @Nullable BlockId[0], new byte[0], over);
      checks = false;
    }

    synchronized void finish() {
      if (buffers != null) {
        buffers.close();
        buffers = null;
      }
    }

    @Override
    public synchronized BlockBuffer lend(BulkHeader header) {
      BlockBuffer buffer = buffers == null ? null : buffers.tryTake();
      if (buffer == null) {
        throw new AssertionError("sent beyond credit");
      }
      return buffer;
    }

    @Override
    public int payloadOffset() {
      return 64;
    }

    @Override
    public synchronized void arrived(BulkHeader header, BlockBuffer buffer) {
      if (checks) {
        check(header, buffer);
      }
      buffer.release();
      if (link != null) {
        link.send(new Credit(BulkHeader.cost(blockSize)));
      }
    }

    private void check(BulkHeader header, BlockBuffer buffer) {
      BlockDigest digest = new BlockDigest();
      ByteBuffer payload = buffer.bytes(payloadOffset(), header.payloadLength());
      ByteBuffer plain = ByteBuffer.allocateDirect(header.plainLength());
      if (digest.crc(payload) != header.payloadCrc()) {
        throw new AssertionError("the payload's checksum is wrong");
      }
      try (ZstdBlockCodec codec = new ZstdBlockCodec()) {
        codec.unpack(header.codec(), payload, plain, header.plainLength());
      }
      plain.flip();
      if (!digest.id(plain).equals(map[(int) header.block()])) {
        throw new AssertionError("block " + header.block() + " is not the map's");
      }
      plain.get(out, (int) header.block() * blockSize.bytes(), header.plainLength());
    }

    @Override
    public void dropped(BlockBuffer buffer) {
      buffer.release();
    }
  }
}
