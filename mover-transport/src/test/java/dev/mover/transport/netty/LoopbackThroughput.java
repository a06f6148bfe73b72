package dev.mover.transport.netty;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import dev.mover.api.error.Side;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.memory.BufferSet;
import dev.mover.transport.frame.BulkHeader;
import dev.mover.transport.link.BulkReceiver;
import dev.mover.transport.link.FrameLink;
import dev.mover.transport.link.LinkServer;
import dev.mover.transport.link.Slots;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Semaphore;

/**
 * How fast 1 MiB bulk frames cross the loopback, beside plain blocking sockets doing the same. Both
 * sides run in this process, so CPU is for sender and receiver together. Not a test: run it by
 * hand, alone on the machine, without BlockHound and leak detection.
 */
public final class LoopbackThroughput {
  private static final int BLOCK = 1 << 20;
  private static final int BLOCKS = 8192;
  private static final int WINDOW = 32;
  private static final int ROUNDS = 5;

  private LoopbackThroughput() {}

  public static void main(String[] args) throws Exception {
    for (int round = 1; round <= ROUNDS; round++) {
      report("link", round, LoopbackThroughput::overLink);
      report("plain sockets", round, LoopbackThroughput::overPlainSockets);
    }
  }

  private interface Run {
    void run() throws Exception;
  }

  private static void report(String name, int round, Run run) throws Exception {
    var os =
        (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long cpu = os.getProcessCpuTime();
    long start = System.nanoTime();
    run.run();
    double seconds = (System.nanoTime() - start) / 1e9;
    double gigabytes = (double) BLOCK * BLOCKS / 1e9;
    double cpuSeconds = (os.getProcessCpuTime() - cpu) / 1e9;
    System.out.printf(
        "%d %-14s %5.0f MB/s, %.2f CPU s/GB%n",
        round, name, gigabytes * 1000 / seconds, cpuSeconds / gigabytes);
  }

  private static void overLink() throws InterruptedException {
    int slot = BLOCK + BufferPool.ALIGNMENT;
    BufferSet slots =
        new BufferPool("bench", Side.REPOSITORY, (long) slot * WINDOW)
            .lease(slot, WINDOW, () -> {});
    Semaphore credit = new Semaphore(WINDOW);
    Receiver receiver = new Receiver(slots, credit);
    ByteBuffer payload = ByteBuffer.allocateDirect(BLOCK);
    BulkHeader header = Slots.header(BulkHeader.Kind.BLOCK, 0, payload);
    try (NettyMoverServer server = NettyMoverServer.bind("127.0.0.1", 0, serving(receiver));
        NettyConnector connector = new NettyConnector("127.0.0.1", server.address().getPort())) {
      FrameLink link =
          Objects.requireNonNull(
              connector.connect(BulkReceiver.NONE).block(Duration.ofSeconds(10)));
      for (int i = 0; i < BLOCKS; i++) {
        credit.acquire();
        link.sendBulk(header, payload.duplicate(), () -> {});
      }
      credit.acquire(WINDOW);
      link.close();
      link.onClose().block(Duration.ofSeconds(10));
    }
  }

  private static LinkServer serving(BulkReceiver receiver) {
    return _ ->
        new LinkServer.Session() {
          @Override
          public BulkReceiver receiver() {
            return receiver;
          }

          @Override
          public void start(FrameLink link) {
            var _ = link.control().subscribe(_ -> {}, Throwable::printStackTrace);
          }
        };
  }

  /** Gives every slot back as soon as it is full. */
  private record Receiver(BufferSet slots, Semaphore credit) implements BulkReceiver {
    @Override
    public BlockBuffer lend(BulkHeader header) {
      BlockBuffer buffer = slots.tryTake();
      if (buffer == null) {
        throw new LinkException(ErrorCode.PROTOCOL_VIOLATION, "beyond the credit");
      }
      return buffer;
    }

    @Override
    public int payloadOffset() {
      return Slots.OFFSET;
    }

    @Override
    public void arrived(BulkHeader header, BlockBuffer buffer) {
      buffer.release();
      credit.release();
    }

    @Override
    public void dropped(BlockBuffer buffer) {
      buffer.release();
    }
  }

  private static void overPlainSockets() throws Exception {
    try (ServerSocketChannel server = ServerSocketChannel.open()) {
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      Thread reader = Thread.ofPlatform().start(() -> readAll(server));
      try (SocketChannel out = SocketChannel.open(server.getLocalAddress())) {
        ByteBuffer payload = ByteBuffer.allocateDirect(BLOCK);
        for (int i = 0; i < BLOCKS; i++) {
          payload.clear();
          while (payload.hasRemaining()) {
            out.write(payload);
          }
        }
      }
      reader.join();
    }
  }

  private static void readAll(ServerSocketChannel server) {
    ByteBuffer into = ByteBuffer.allocateDirect(BLOCK);
    try (SocketChannel in = server.accept()) {
      while (in.read(into) >= 0) {
        if (!into.hasRemaining()) {
          into.clear();
        }
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
