package dev.mover.itests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.block.BlockSize;
import dev.mover.api.point.Name;
import dev.mover.dedup.codec.Compression;
import dev.mover.proxy.BackupRequest;
import dev.mover.proxy.Progress;
import dev.mover.proxy.Proxy;
import dev.mover.proxy.ProxyOptions;
import dev.mover.repository.Repository;
import dev.mover.repository.RepositoryOptions;
import dev.mover.testkit.Background;
import dev.mover.transport.netty.NettyConnector;
import dev.mover.transport.netty.NettyMoverServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A backup fills a line as long as half the earth, with the memory daemons have by default. */
@Timeout(120)
class LongLinkTest {
  private static final long ROUND_TRIP_MS = 150;
  private static final double BYTES_PER_SEC = 60e6;

  /** Six seconds, so that the round trips at the start and the end weigh little. */
  private static final int BYTES = 360 << 20;

  /** The claim. What the round trips of opening and committing cost is in it. */
  private static final double LEAST_SHARE = 0.80;

  private static final InetAddress HERE = InetAddress.getLoopbackAddress();

  @TempDir private Path folder = Path.of("");

  @Test
  void fourFifthsOfAPlainStreamOver150Milliseconds() throws Exception {
    double plain = plainSeconds();
    double backup = backupSeconds();
    System.out.printf("plain stream %.2f s, backup %.2f s%n", plain, backup);
    assertThat(plain / backup).isGreaterThan(LEAST_SHARE);
  }

  /** From the first byte sent until the far end has the last and says so. */
  private static double plainSeconds() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, HERE);
        LongPipe pipe =
            LongPipe.to(
                new InetSocketAddress(HERE, server.getLocalPort()), BYTES_PER_SEC, ROUND_TRIP_MS)) {
      CompletableFuture<Void> sink = Background.run(() -> drain(server));
      long startNs = System.nanoTime();
      try (Socket socket = new Socket(HERE, pipe.port())) {
        byte[] piece = new byte[1 << 20];
        for (int sent = 0; sent < BYTES; sent += piece.length) {
          socket.getOutputStream().write(piece);
        }
        socket.shutdownOutput();
        assertThat(socket.getInputStream().read()).isEqualTo(1);
      }
      double seconds = (System.nanoTime() - startNs) / 1e9;
      sink.join();
      return seconds;
    }
  }

  private static void drain(ServerSocket server) {
    try (Socket socket = server.accept();
        InputStream in = socket.getInputStream()) {
      byte[] piece = new byte[1 << 20];
      while (in.read(piece) > 0) {}
      socket.getOutputStream().write(1);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** The whole of it, from connecting to the committed point. */
  private double backupSeconds() {
    byte[] noise = new byte[1 << 20];
    new SplittableRandom(1).nextBytes(noise);
    try (Repository repository = Repository.open(folder, RepositoryOptions.DEFAULT);
        NettyMoverServer server =
            NettyMoverServer.bind(HERE.getHostAddress(), 0, repository.links());
        LongPipe pipe = LongPipe.to(server.address(), BYTES_PER_SEC, ROUND_TRIP_MS);
        NettyConnector connector = new NettyConnector(HERE.getHostAddress(), pipe.port());
        Proxy proxy = new Proxy(ProxyOptions.DEFAULT)) {
      long startNs = System.nanoTime();
      proxy.backup(
          new BackupRequest(
              new Name("far"),
              List.of(new PacedSource(BYTES, noise, 0)),
              BlockSize.MIB_1,
              Compression.NONE),
          connector,
          Progress.Listener.NONE);
      return (System.nanoTime() - startNs) / 1e9;
    }
  }
}
