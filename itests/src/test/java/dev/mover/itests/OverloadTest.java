package dev.mover.itests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.block.BlockSize;
import dev.mover.api.point.Name;
import dev.mover.dedup.codec.Compression;
import dev.mover.proxy.BackupRequest;
import dev.mover.proxy.Proxy;
import dev.mover.proxy.ProxyOptions;
import dev.mover.repository.MemoryStatus;
import dev.mover.repository.Repository;
import dev.mover.repository.RepositoryLimits;
import dev.mover.repository.RepositoryOptions;
import dev.mover.testkit.Background;
import dev.mover.transport.netty.NettyConnector;
import dev.mover.transport.netty.NettyMoverServer;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Far more than a repository was made for: it takes its time, and all are served in turn. */
@Timeout(180)
class OverloadTest {
  private static final int SESSIONS = 200;
  private static final int SLOTS = 4;
  private static final int IDLE = 100;
  private static final int DISK_BYTES = 2 << 20;

  /** Slower by far than what the sessions send. */
  private static final int EXTENT_MBPS = 60;

  private static final InetAddress HERE = InetAddress.getLoopbackAddress();

  @TempDir private Path folder = Path.of("");

  private final byte[] noise = new byte[1 << 20];
  private final List<Integer> ended = Collections.synchronizedList(new ArrayList<>());

  @Test
  void twoHundredSessionsAgainstFourSlotsOfASlowExtentAmongIdleConnections() throws Exception {
    new SplittableRandom(1).nextBytes(noise);
    List<Socket> idle = new ArrayList<>();
    try (Repository repository =
            Repository.open(folder, RepositoryOptions.DEFAULT.withMaxConcurrentTasks(SLOTS));
        NettyMoverServer server =
            NettyMoverServer.bind(HERE.getHostAddress(), 0, repository.links());
        Proxy proxy = new Proxy(new ProxyOptions(ProxyOptions.MAX_SLOTS, 2))) {
      repository.limit(new RepositoryLimits(SLOTS, 0, EXTENT_MBPS, 0));
      for (int i = 0; i < IDLE; i++) {
        idle.add(new Socket(HERE, server.address().getPort()));
      }
      List<CompletableFuture<Void>> sessions = new ArrayList<>();
      AtomicInteger opened = new AtomicInteger();
      for (int i = 0; i < SESSIONS; i++) {
        int number = i;
        sessions.add(Background.run(() -> backup(proxy, server, number, opened)));
        while (opened.get() <= i && !sessions.getLast().isDone()) {
          assertWithinBudgets(repository);
        }
      }
      CompletableFuture<Void> all =
          CompletableFuture.allOf(sessions.toArray(CompletableFuture[]::new));
      while (!all.isDone()) {
        assertWithinBudgets(repository);
      }
      all.join();
      assertThat(repository.status().points()).isEqualTo(SESSIONS);
      assertThat(repository.status().mostTasks()).isLessThanOrEqualTo(SLOTS);
      assertThat(repository.memory()).allMatch(pool -> pool.leasedBytes() == 0);
    } finally {
      for (Socket socket : idle) {
        socket.close();
      }
    }
    assertInTurn();
  }

  private void backup(Proxy proxy, NettyMoverServer server, int number, AtomicInteger opened) {
    try (NettyConnector connector =
        new NettyConnector(HERE.getHostAddress(), server.address().getPort())) {
      proxy.backup(
          new BackupRequest(
              new Name("machine-" + number),
              List.of(new PacedSource(DISK_BYTES, noise, 0)),
              BlockSize.MIB_1,
              Compression.NONE),
          connector,
          progress -> {
            if (!progress.phase().equals("connect")) {
              opened.accumulateAndGet(number + 1, Math::max);
            }
          });
      ended.add(number);
    }
  }

  private static void assertWithinBudgets(Repository repository) throws InterruptedException {
    for (MemoryStatus pool : repository.memory()) {
      assertThat(pool.leasedBytes()).as(pool.name()).isLessThanOrEqualTo(pool.budgetBytes());
    }
    Thread.sleep(5);
  }

  /** First come, first served, but for those that are on their way at the same time. */
  private void assertInTurn() {
    int mostBehind = 0;
    for (int place = 0; place < ended.size(); place++) {
      mostBehind = Math.max(mostBehind, place - ended.get(place));
    }
    System.out.printf("ended at most %d places later than begun%n", mostBehind);
    assertThat(mostBehind).isLessThan(ProxyOptions.MAX_SLOTS);
  }
}
