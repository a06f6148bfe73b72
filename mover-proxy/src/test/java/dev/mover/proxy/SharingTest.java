package dev.mover.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.block.BlockSize;
import dev.mover.api.point.DiskSpec;
import dev.mover.api.point.Name;
import dev.mover.api.source.DiskSource;
import dev.mover.dedup.codec.Compression;
import dev.mover.transport.frame.Offer;
import dev.mover.transport.inprocess.InProcessConnector;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several runs in one proxy share its slots, memory, threads and credit. */
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SharingTest {
  private final ModelRepository repository = new ModelRepository();
  private final Proxy proxy = new Proxy(new ProxyOptions(3, 2));

  @AfterEach
  void close() throws InterruptedException {
    repository.awaitIdle();
    assertThat(proxy.leasedBytes()).isZero();
    proxy.close();
    repository.pool.close();
  }

  @Test
  void aSlowRepositoryHoldsUpNoOther() throws Exception {
    ModelRepository slow = new ModelRepository();
    slow.holdAcks = true;
    CountDownLatch began = new CountDownLatch(2);
    slow.onFrame =
        (frame, link) -> {
          if (frame instanceof Offer) {
            began.countDown();
          }
        };
    CompletableFuture<BackupResult> stuck =
        start(
            request("slow", List.of(disk("a", 20 << 20), disk("b", 20 << 20)), BlockSize.MIB_1),
            slow);
    began.await(); // two of three slots, their buffers and all their credit

    BackupResult fast =
        start(
                request(
                    "fast",
                    List.of(disk("a", 20 << 20), disk("b", 3 << 20), disk("c", 7 << 20)),
                    BlockSize.MIB_1),
                repository)
            .get();
    assertThat(fast.sentPlainBytes()).isEqualTo(30 << 20);
    assertThat(stuck).isNotDone();
    slow.letGo();
    assertThat(stuck.get().sentPlainBytes()).isEqualTo(40 << 20);
    slow.awaitIdle();
    slow.pool.close();
  }

  @Test
  void twoBackupsWithManyDisksStarveNeitherOfThem() throws Exception {
    Turnstile turnstile = new Turnstile();
    CountDownLatch queued = new CountDownLatch(2);
    List<CompletableFuture<BackupResult>> runs = new ArrayList<>();
    for (String machine : List.of("first", "second")) {
      List<DiskSource> disks = new ArrayList<>();
      for (int i = 0; i < 9; i++) {
        disks.add(turnstile.disk(machine, i));
      }
      runs.add(
          start(
              request(machine, disks, BlockSize.KIB_256),
              repository,
              progress -> {
                if (progress.phase().equals("transfer") || progress.detail().contains("slot")) {
                  queued.countDown();
                }
              }));
      turnstile.awaitStalled(3); // the first takes every slot
    }
    queued.await();
    for (int left = 18; left > 3; left--) {
      Map<String, Integer> slots = turnstile.awaitStalled(3);
      if (left <= 17 && left > 9) {
        assertThat(slots.keySet()).as("who has slots, %d disks left", left).hasSize(2);
      }
      turnstile.letOneGo();
    }
    turnstile.letAllGo();
    for (CompletableFuture<BackupResult> run : runs) {
      assertThat(run.get().sequence()).isEqualTo(1);
    }
  }

  /** Holds every task at its end until the test lets it go. */
  private static final class Turnstile {
    private final Deque<String> stalled = new ArrayDeque<>();
    private final Map<String, Integer> going = new HashMap<>();
    private boolean open;

    DiskSource disk(String machine, int number) {
      return new MemorySource("d" + number, 300_000, number) {
        @Override
        public List<String> finish() {
          stall(machine);
          return List.of();
        }
      };
    }

    private synchronized void stall(String machine) {
      stalled.add(machine);
      notifyAll();
      awaitUntil(() -> open || going.getOrDefault(machine, 0) > 0);
      going.merge(machine, -1, Integer::sum);
    }

    synchronized Map<String, Integer> awaitStalled(int count) {
      awaitUntil(() -> stalled.size() == count);
      Map<String, Integer> slots = new HashMap<>();
      stalled.forEach(machine -> slots.merge(machine, 1, Integer::sum));
      return slots;
    }

    /** The one that has waited longest; another of its machine goes as well as itself. */
    synchronized void letOneGo() {
      going.merge(stalled.remove(), 1, Integer::sum);
      notifyAll();
    }

    synchronized void letAllGo() {
      open = true;
      notifyAll();
    }

    private void awaitUntil(BooleanSupplier condition) {
      try {
        while (!condition.getAsBoolean()) {
          wait();
        }
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Test
  void aRestoreIsATaskAndWaitsForASlot(@TempDir Path dir) throws Exception {
    proxy.backup(
        request("m", List.of(disk("d", 3 << 20)), BlockSize.MIB_1),
        new InProcessConnector(repository),
        Progress.Listener.NONE);
    ModelRepository slow = new ModelRepository();
    slow.holdAcks = true;
    CountDownLatch began = new CountDownLatch(3);
    slow.onFrame =
        (frame, link) -> {
          if (frame instanceof Offer) {
            began.countDown();
          }
        };
    CompletableFuture<BackupResult> stuck =
        start(
            request(
                "slow",
                List.of(disk("a", 1 << 20), disk("b", 1 << 20), disk("c", 1 << 20)),
                BlockSize.MIB_1),
            slow);
    began.await(); // all three slots

    Path target = dir.resolve("d.raw");
    RestoreResult result =
        proxy.restore(
            new RestoreRequest(new Name("m"), 0, Optional.empty(), target, false),
            new InProcessConnector(repository),
            progress -> {
              if (progress.detail().contains("waiting for a task slot")) {
                assertThat(target).as("before it may run").doesNotExist();
                slow.letGo();
              }
            });
    assertThat(result.sizeBytes()).isEqualTo(3 << 20);
    assertThat(slow.holdAcks).as("it did wait").isFalse();
    assertThat(stuck.get().sequence()).isEqualTo(1);
    slow.awaitIdle();
    slow.pool.close();
  }

  @Test
  void runsFewerTasksWhenBlocksAreLarge() throws Exception {
    try (Proxy wide = new Proxy(new ProxyOptions(64, 2))) {
      ModelRepository roomy = new ModelRepository();
      roomy.slots = 64;
      roomy.creditFrames = 1;
      List<DiskSource> disks = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        disks.add(disk("d" + i, 100_000));
      }
      BackupResult result =
          wide.backup(
              request("m", disks, BlockSize.MIB_4),
              new InProcessConnector(roomy),
              Progress.Listener.NONE);
      assertThat(result.mostTasks()).isBetween(1, 8);
      assertThat(wide.leasedBytes()).isZero();
      roomy.awaitIdle();
      roomy.pool.close();
    }
  }

  @Test
  void disksOfOneSessionShareItsCreditInTurn() throws Exception {
    // Credit comes back one block at a time; each time it is the next disk's turn.
    repository.creditFrames = 1;
    repository.creditForFirstOnly = true;
    repository.holdAcks = true;
    CountDownLatch offered = new CountDownLatch(2);
    repository.onFrame =
        (frame, link) -> {
          if (frame instanceof Offer offer && offer.firstBlock() == 0) {
            offered.countDown();
          }
        };
    CompletableFuture<BackupResult> run =
        start(
            request("m", List.of(disk("a", 8 << 20), disk("b", 8 << 20)), BlockSize.MIB_1),
            repository);
    offered.await();
    repository.letGo();
    assertThat(run.get().sequence()).isEqualTo(1);
    List<Integer> order = repository.arrivals;
    int firstOfB = order.indexOf(1);
    int lastOfA = order.lastIndexOf(0);
    assertThat(firstOfB).isBetween(0, 6);
    assertThat(lastOfA).isGreaterThan(firstOfB);
    assertThat(Collections.frequency(order.subList(0, 12), 0)).isBetween(4, 8);
  }

  @Test
  void backsUpTheLargestDiskThereIs() {
    byte[] content = MemorySource.noise(1 << 20, 1);
    DiskSource largest =
        new MemorySource(new DiskSpec(new Name("d"), DiskSpec.MAX_BYTES, 512), content);
    BackupResult result =
        proxy.backup(
            request("m", List.of(largest), BlockSize.MIB_1),
            new InProcessConnector(repository),
            Progress.Listener.NONE);
    assertThat(result.sizeBytes()).isEqualTo(DiskSpec.MAX_BYTES);
    assertThat(result.zeroBytes()).isEqualTo(DiskSpec.MAX_BYTES - (1 << 20));
    assertThat(result.readBytes()).isEqualTo(1 << 20);
  }

  private static DiskSource disk(String name, int lengthBytes) {
    return new MemorySource(name, lengthBytes, lengthBytes + name.hashCode());
  }

  private static BackupRequest request(String machine, List<DiskSource> disks, BlockSize size) {
    return new BackupRequest(new Name(machine), disks, size, Compression.NONE);
  }

  private CompletableFuture<BackupResult> start(BackupRequest request, ModelRepository to) {
    return start(request, to, Progress.Listener.NONE);
  }

  private CompletableFuture<BackupResult> start(
      BackupRequest request, ModelRepository to, Progress.Listener listener) {
    CompletableFuture<BackupResult> result = new CompletableFuture<>();
    Thread.ofPlatform()
        .start(
            () -> {
              try {
                result.complete(proxy.backup(request, new InProcessConnector(to), listener));
              } catch (Throwable e) {
                result.completeExceptionally(e);
              }
            });
    return result;
  }
}
