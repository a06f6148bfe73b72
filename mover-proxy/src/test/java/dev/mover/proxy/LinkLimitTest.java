package dev.mover.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.block.BlockSize;
import dev.mover.api.point.DiskSpec;
import dev.mover.api.point.Name;
import dev.mover.api.source.DiskSource;
import dev.mover.api.status.Stage;
import dev.mover.dedup.codec.Compression;
import dev.mover.testkit.Background;
import dev.mover.transport.inprocess.InProcessConnector;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Backups over a limited link. */
@Timeout(30)
class LinkLimitTest {
  private static final int BYTES = 4 << 20;

  private final ModelRepository repository = new ModelRepository();
  private final Proxy proxy =
      new Proxy(new ProxyOptions(3, 2, List.of(LinkRule.always(LinkRule.EVERY, 8))));

  @AfterEach
  void close() throws InterruptedException {
    repository.awaitIdle();
    assertThat(proxy.leasedBytes()).isZero();
    proxy.close();
    repository.pool.close();
  }

  private BackupResult backup(String machine, Progress.Listener listener) {
    byte[] noise = MemorySource.noise(BYTES, machine.hashCode());
    DiskSource disk = new MemorySource(new DiskSpec(new Name("d"), BYTES, 512), noise);
    return proxy.backup(
        new BackupRequest(new Name(machine), List.of(disk), BlockSize.KIB_256, Compression.OPTIMAL),
        new InProcessConnector(repository),
        listener);
  }

  @Test
  void theLinkIsTheBottleneckAndItsRateIsKept() {
    BackupResult result = backup("m", Progress.Listener.NONE);
    double seconds = result.transfer().toNanos() / 1e9;
    assertThat(seconds).isGreaterThan(BYTES / 8e6 - 0.11);
    assertThat(result.load().bottleneck()).isEqualTo(Stage.NETWORK);
    assertThat(result.load().percent().get(Stage.NETWORK)).isGreaterThan(60);
  }

  @Test
  void sessionsShareTheLink() {
    long start = System.nanoTime();
    CompletableFuture<BackupResult> other =
        Background.supply(() -> backup("one", Progress.Listener.NONE));
    backup("two", Progress.Listener.NONE);
    other.join();
    double seconds = (System.nanoTime() - start) / 1e9;
    assertThat(seconds).isGreaterThan(2 * BYTES / 8e6 - 0.25);
  }

  @Test
  void aLimitIsLiftedWhileBackupsRun() {
    proxy.limitLinks(List.of(LinkRule.always(LinkRule.EVERY, 1)));
    BackupResult result =
        backup(
            "m",
            progress -> {
              if (progress.phase().equals("transfer") && progress.sentBytes() > 0) {
                proxy.limitLinks(List.of());
              }
            });
    assertThat(result.total().toNanos() / 1e9).isLessThan(BYTES / 1e6 / 2);
  }
}
