package dev.mover.repository;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.block.Codec;
import dev.mover.api.block.DiskDigest;
import dev.mover.api.block.Envelope;
import dev.mover.api.error.MoverException;
import dev.mover.api.point.DiskSpec;
import dev.mover.api.point.Name;
import dev.mover.dedup.codec.Compression;
import dev.mover.dedup.codec.zstd.ZstdBlockCodec;
import dev.mover.dedup.digest.BlockDigest;
import dev.mover.transport.frame.Ack;
import dev.mover.transport.frame.Answer;
import dev.mover.transport.frame.BeginDisk;
import dev.mover.transport.frame.BulkHeader;
import dev.mover.transport.frame.Checkpoint;
import dev.mover.transport.frame.Commit;
import dev.mover.transport.frame.CommitProgress;
import dev.mover.transport.frame.Committed;
import dev.mover.transport.frame.Credit;
import dev.mover.transport.frame.EndDisk;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.Granted;
import dev.mover.transport.frame.Need;
import dev.mover.transport.frame.Offer;
import dev.mover.transport.frame.Open;
import dev.mover.transport.frame.Opened;
import dev.mover.transport.frame.Queued;
import dev.mover.transport.frame.Resume;
import dev.mover.transport.frame.Zero;
import dev.mover.transport.inprocess.InProcessConnector;
import dev.mover.transport.link.BulkReceiver;
import dev.mover.transport.link.FrameLink;
import dev.mover.transport.link.LinkServer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** One link of a proxy, driven step by step by a test; every wait has a deadline. */
final class ScriptedProxy implements AutoCloseable {
  private static final long DEADLINE_MS = 30_000;

  UUID sessionId = UUID.randomUUID();
  final FrameLink link;
  final BlockSize blockSize;
  private final List<String> places = new ArrayList<>();
  private final Deque<Frame> inbox = new ArrayDeque<>();
  private final BlockDigest digest = new BlockDigest();
  private final Map<String, byte[]> disks = new LinkedHashMap<>();
  private @Nullable Throwable failure;
  private boolean ended;
  long credit;
  int sentBlocks;
  int acked;
  int checkpoints;

  ScriptedProxy(LinkServer server, BlockSize blockSize) {
    this(server, blockSize, BulkReceiver.NONE);
  }

  ScriptedProxy(LinkServer server, BlockSize blockSize, BulkReceiver receiver) {
    this.blockSize = blockSize;
    this.link =
        Objects.requireNonNull(
            new InProcessConnector(server).connect(receiver).block(Duration.ofSeconds(10)));
    link.control().subscribe(this::onFrame, this::onError, this::onEnd);
  }

  private synchronized void onFrame(Frame frame) {
    switch (frame) {
      case Credit c -> credit += c.bytes();
      case Ack a -> acked += a.blocks().size();
      case Checkpoint _ -> checkpoints++;
      case Queued q -> places.add(q.position() + " " + q.reason());
      case CommitProgress _ -> {}
      default -> {
        if (frame instanceof Granted g) {
          credit += g.creditBytes();
        }
        inbox.add(frame);
      }
    }
    notifyAll();
  }

  private synchronized void onError(Throwable error) {
    failure = error;
    notifyAll();
  }

  private synchronized void onEnd() {
    ended = true;
    notifyAll();
  }

  interface Condition {
    boolean holds();
  }

  synchronized void await(String what, Condition condition) {
    long deadline = System.currentTimeMillis() + DEADLINE_MS;
    while (!condition.holds()) {
      if (failure instanceof MoverException e) {
        throw e;
      }
      if (failure != null || ended || System.currentTimeMillis() > deadline) {
        throw new AssertionError(
            "no " + what + (ended ? ", the link was closed" : "") + ", inbox " + inbox, failure);
      }
      try {
        wait(DEADLINE_MS);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** Waits for what nobody tells us of. */
  static void poll(String what, Condition condition) {
    long deadline = System.currentTimeMillis() + DEADLINE_MS;
    while (!condition.holds()) {
      if (System.currentTimeMillis() > deadline) {
        throw new AssertionError("no " + what);
      }
      Thread.onSpinWait();
    }
  }

  <T extends Frame> T expect(Class<T> type) {
    await(type.getSimpleName(), () -> !inbox.isEmpty());
    Frame frame;
    synchronized (this) {
      frame = inbox.remove();
    }
    if (!type.isInstance(frame)) {
      throw new AssertionError("expected " + type.getSimpleName() + ", got " + frame);
    }
    return type.cast(frame);
  }

  /** The error the repository ends the link with. */
  MoverException expectError() {
    try {
      await("error", () -> false);
    } catch (MoverException e) {
      return e;
    }
    throw new AssertionError("not reached");
  }

  /** Waits until QUEUED said this, with its position. */
  void awaitPlace(String place) {
    await("QUEUED " + place, () -> places.contains(place));
  }

  void send(Frame frame) {
    link.send(frame);
  }

  Opened open(String machine, Map<String, byte[]> content) {
    askToOpen(machine, content);
    return expect(Opened.class);
  }

  /** Sends OPEN, and waits for no answer. */
  void askToOpen(String machine, Map<String, byte[]> content) {
    disks.putAll(content);
    List<DiskSpec> specs = new ArrayList<>();
    content.forEach((name, bytes) -> specs.add(new DiskSpec(new Name(name), bytes.length, 512)));
    send(new Open(sessionId, new Name(machine), blockSize, specs));
  }

  /** Takes up, on this link, the session of one that was lost. */
  void resume(ScriptedProxy before, String machine) {
    sessionId = before.sessionId;
    disks.putAll(before.disks);
    send(new Resume(sessionId, new Name(machine)));
  }

  /** Begins a disk and waits for its task slot. */
  Granted begin(int disk) {
    send(new BeginDisk(disk));
    return expect(Granted.class);
  }

  /** Streams a begun disk as a proxy without change tracking does, to END_DISK. */
  void stream(int disk) {
    byte[] bytes = diskBytes(disk);
    DiskDigest own = new DiskDigest(bytes.length, blockSize);
    long blocks = blockSize.count(bytes.length);
    long block = 0;
    while (block < blocks) {
      long first = block;
      if (isZero(disk, block)) {
        while (block < blocks && isZero(disk, block)) {
          block++;
        }
        send(new Zero(disk, first, block - first));
        own.addZeros(block - first);
        continue;
      }
      List<BlockId> ids = new ArrayList<>();
      while (block < blocks && ids.size() < Offer.MAX_IDS && !isZero(disk, block)) {
        ids.add(id(disk, block++));
      }
      ids.forEach(own::addBlock);
      BitSet wanted = offer(disk, first, ids);
      int before = sentBlocks;
      wanted.stream().forEach(i -> sendBlock(disk, first + i));
      awaitAcks(acked(), sentBlocks - before);
    }
    send(new EndDisk(disk, own.finish()));
  }

  BitSet offer(int disk, long first, List<BlockId> ids) {
    send(new Offer(disk, first, ids));
    return expect(Answer.class).wanted();
  }

  private synchronized int acked() {
    return acked;
  }

  private void awaitAcks(int before, int more) {
    // Some may have come before this was called: count from what was sent in all.
    await("ACK " + before + "+" + more, () -> acked >= sentBlocks);
  }

  void sendBlock(int disk, long block) {
    await("credit", () -> credit >= BulkHeader.cost(blockSize));
    sendBlockBeyondCredit(disk, block, 0);
  }

  /**
   * @param crcError added to the payload's checksum
   */
  void sendBlockBeyondCredit(int disk, long block, int crcError) {
    ByteBuffer plain = plain(disk, block);
    ByteBuffer payload = ByteBuffer.allocateDirect(plain.remaining());
    Codec codec;
    try (ZstdBlockCodec packer = new ZstdBlockCodec()) {
      codec = packer.pack(plain, payload, Compression.OPTIMAL);
    }
    payload.flip();
    BulkHeader header =
        new BulkHeader(
            BulkHeader.Kind.BLOCK,
            disk,
            block,
            digest.id(plain),
            codec,
            plain.remaining(),
            payload.remaining(),
            digest.crc(payload) + crcError,
            Envelope.NONE);
    synchronized (this) {
      credit -= BulkHeader.cost(blockSize);
      sentBlocks++;
    }
    CountDownLatch released = new CountDownLatch(1);
    link.sendBulk(header, payload, released::countDown);
    try {
      if (!released.await(DEADLINE_MS, java.util.concurrent.TimeUnit.MILLISECONDS)) {
        throw new AssertionError("payload was never released");
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Commits, sending again whatever the repository needs. */
  Committed commit() {
    while (true) {
      send(new Commit(sessionId));
      await("COMMITTED or NEED", () -> !inbox.isEmpty());
      Frame answer;
      synchronized (this) {
        answer = inbox.element();
      }
      if (answer instanceof Committed) {
        return expect(Committed.class);
      }
      boolean last = false;
      while (!last) {
        Need need = expect(Need.class);
        need.blocks().forEach(block -> sendBlock(need.disk(), block));
        last = need.last();
      }
      awaitAcks(0, 0);
    }
  }

  /** A whole session: opened, all disks streamed, committed, closed. */
  static Committed backup(
      LinkServer server, BlockSize blockSize, String machine, Map<String, byte[]> disks) {
    try (ScriptedProxy proxy = new ScriptedProxy(server, blockSize)) {
      return proxy.run(machine, disks);
    }
  }

  Committed run(String machine, Map<String, byte[]> content) {
    open(machine, content);
    for (int disk = 0; disk < content.size(); disk++) {
      begin(disk);
      stream(disk);
    }
    return commit();
  }

  BlockId id(int disk, long block) {
    return digest.id(plain(disk, block));
  }

  /** Id of the first {@code length} bytes. */
  BlockId idOf(byte[] bytes, int length) {
    return digest.id(ByteBuffer.allocateDirect(length).put(bytes, 0, length).flip());
  }

  private boolean isZero(int disk, long block) {
    return BlockDigest.isZero(plain(disk, block));
  }

  private ByteBuffer plain(int disk, long block) {
    byte[] bytes = diskBytes(disk);
    int from = (int) (block * blockSize.bytes());
    int length = blockSize.lengthAt(block, bytes.length);
    return ByteBuffer.allocateDirect(length).put(bytes, from, length).flip();
  }

  private byte[] diskBytes(int disk) {
    return List.copyOf(disks.values()).get(disk);
  }

  @Override
  public void close() {
    link.close();
    link.onClose().block(Duration.ofSeconds(10));
  }
}
