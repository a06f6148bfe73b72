package dev.mover.itests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.block.BlockSize;
import dev.mover.api.point.Name;
import dev.mover.api.source.DiskSource;
import dev.mover.dedup.codec.Compression;
import dev.mover.proxy.BackupRequest;
import dev.mover.proxy.BackupResult;
import dev.mover.proxy.Progress;
import dev.mover.proxy.Proxy;
import dev.mover.proxy.ProxyOptions;
import dev.mover.proxy.RestoreRequest;
import dev.mover.proxy.source.DirectSource;
import dev.mover.repository.Repository;
import dev.mover.repository.RepositoryOptions;
import dev.mover.testkit.DiskImages;
import dev.mover.testkit.LoopMount;
import dev.mover.testkit.LoopMount.Kind;
import dev.mover.transport.carrier.LinkTimes;
import dev.mover.transport.link.LinkConnector;
import dev.mover.transport.netty.NettyConnector;
import dev.mover.transport.netty.NettyMoverServer;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A file system that takes no writes for a while, and fails none: frozen, as for a snapshot. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StalledExtentTest {
  private static final int BYTES = 16 << 20;

  /** Six sessions want to begin meanwhile: more than there are threads of any pool. */
  private static final int LATER = 6;

  /** A link on which nobody answered would be lost long before the extent goes on. */
  private static final LinkTimes QUICK = new LinkTimes(10_000, 200, 1_000, 500);

  private static final Duration STALL = Duration.ofSeconds(3);

  @TempDir Path dir;

  private static DiskSource open(Path image) {
    return DirectSource.open(new Name("d0"), image);
  }

  private static BackupRequest request(String machine, DiskSource source) {
    return new BackupRequest(
        new Name(machine), List.of(source), BlockSize.KIB_256, Compression.NONE);
  }

  private void restores(Proxy proxy, LinkConnector from, String machine, Path image)
      throws IOException {
    Path target = dir.resolve("restored-" + machine);
    proxy.restore(
        new RestoreRequest(new Name(machine), 0, Optional.empty(), target, false),
        from,
        Progress.Listener.NONE);
    assertThat(Files.mismatch(target, image)).isEqualTo(-1);
  }

  private static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(deadline);
      Thread.onSpinWait();
    }
  }

  @Test
  void holdsUpNeitherLinksNorRestoresAndTheBackupGoesOn() throws Exception {
    Path image = dir.resolve("image.raw");
    DiskImages.create(image, BYTES, 1);
    String here = InetAddress.getLoopbackAddress().getHostAddress();
    Set<String> details = ConcurrentHashMap.newKeySet();
    try (LoopMount mount = LoopMount.orSkip(Kind.XFS, 400L << 20);
        Repository repository =
            Repository.open(mount.folder().resolve("repository"), RepositoryOptions.DEFAULT);
        NettyMoverServer server =
            NettyMoverServer.bind(
                here, 0, repository.links(), NettyMoverServer.DEFAULT_MAX_LINKS, QUICK);
        NettyConnector connector = new NettyConnector(here, server.address().getPort(), QUICK);
        Proxy proxy = new Proxy(new ProxyOptions(2 + LATER, 2));
        ExecutorService others = Executors.newVirtualThreadPerTaskExecutor()) {
      proxy.backup(request("old", open(image)), connector, Progress.Listener.NONE);
      long before = repository.figures().receivedBytes();
      byte[] sample = DiskImages.bytes(BlockSize.KIB_256.bytes(), 7);
      Future<BackupResult> running =
          others.submit(
              () ->
                  proxy.backup(
                      request("web", new PacedSource(BYTES, sample, 8 << 20)),
                      connector,
                      progress -> details.add(progress.detail())));
      await("some of it", () -> repository.figures().receivedBytes() > before + BYTES / 8);

      List<Future<BackupResult>> later = new ArrayList<>();
      mount.freeze();
      try {
        long frozen = System.nanoTime();
        for (int i = 0; i < LATER; i++) {
          BackupRequest request = request("later-" + i, open(image));
          later.add(
              others.submit(
                  () ->
                      proxy.backup(
                          request, connector, progress -> details.add(progress.detail()))));
        }
        await("all links", () -> server.links() == 1 + LATER);
        restores(proxy, connector, "old", image);
        await("a long stall", () -> System.nanoTime() - frozen > STALL.toNanos());
        assertThat(repository.points("", "", 0, 9)).hasSize(1);
        assertThat(running.isDone()).isFalse();
        assertThat(server.links()).isEqualTo(1 + LATER);
      } finally {
        mount.thaw();
      }
      running.get();
      for (Future<BackupResult> backup : later) {
        backup.get();
      }
      assertThat(details).noneMatch(detail -> detail.contains("link lost"));
      assertThat(repository.points("", "", 0, 9)).hasSize(2 + LATER);
      restores(proxy, connector, "later-0", image);
    }
  }
}
