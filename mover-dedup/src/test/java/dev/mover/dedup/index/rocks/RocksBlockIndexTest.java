package dev.mover.dedup.index.rocks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.block.BlockId;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.RepositoryException;
import dev.mover.dedup.index.BlockIndex;
import dev.mover.dedup.index.BlockPlace;
import dev.mover.testkit.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RocksBlockIndexTest {
  private static final long MEMORY = 4 << 20;

  @TempDir Path folder;

  @Test
  void answersAsAMapDoesAlsoAfterReopening() {
    Seeds.check(
        6,
        random -> {
          Path home = Files.createTempDirectory(folder, "index");
          Map<BlockId, BlockPlace> model = new HashMap<>();
          for (int life = 0; life < 3; life++) {
            try (RocksStore store = RocksStore.open(home, MEMORY)) {
              BlockIndex index = store.index();
              assertSame(index, model, random);
              for (int step = 0; step < 10; step++) {
                change(index, model, random);
              }
              assertSame(index, model, random);
            }
          }
        });
  }

  @Test
  void findsNothingInAnEmptyIndex() {
    try (RocksStore store = RocksStore.open(folder, MEMORY)) {
      assertThat(store.index().find(List.of())).isEmpty();
      assertThat(store.index().find(List.of(id(1), id(2)))).containsExactly(null, null);
      assertThat(store.index().estimatedCount()).isZero();
    }
  }

  @Test
  void answersTheSameIdTwiceInOneQuestion() {
    try (RocksStore store = RocksStore.open(folder, MEMORY)) {
      BlockPlace place = new BlockPlace(new UUID(1, 2), 4096, 99, 0);
      store.index().put(Map.of(id(7), place));
      assertThat(store.index().find(List.of(id(7), id(8), id(7))))
          .containsExactly(place, null, place);
    }
  }

  @Test
  void countsAboutRight() {
    try (RocksStore store = RocksStore.open(folder, MEMORY)) {
      store.index().put(places(5_000, 1));
      assertThat(store.index().estimatedCount()).isBetween(4_500L, 5_500L);
    }
  }

  @Test
  void survivesAKillWithEverythingThatWasSynced() throws IOException {
    Map<BlockId, BlockPlace> synced = places(3_000, 2);
    Path asAfterAKill = folder.resolve("copy");
    try (RocksStore store = RocksStore.open(folder.resolve("live"), MEMORY)) {
      store.index().put(synced);
      store.index().sync();
      copy(folder.resolve("live"), asAfterAKill);
    }
    try (RocksStore store = RocksStore.open(asAfterAKill, MEMORY)) {
      List<BlockId> ids = List.copyOf(synced.keySet());
      List<@Nullable BlockPlace> found = store.index().find(ids);
      for (int i = 0; i < ids.size(); i++) {
        assertThat(found.get(i)).isEqualTo(synced.get(ids.get(i)));
      }
    }
  }

  @Test
  void answersRightOrNotAtAllFromADamagedTable() throws IOException {
    Map<BlockId, BlockPlace> places = places(30_000, 3);
    try (RocksStore store = RocksStore.open(folder, MEMORY)) {
      store.index().put(places);
    }
    RocksStore.open(folder, MEMORY).close(); // what was only in the log is now in a table
    try (var files = Files.list(folder)) {
      for (Path table : files.filter(f -> f.toString().endsWith(".sst")).toList()) {
        byte[] bytes = Files.readAllBytes(table);
        Arrays.fill(bytes, bytes.length / 4, bytes.length / 2, (byte) 0x55);
        Files.write(table, bytes);
      }
    }
    int known = 0;
    try (RocksStore store = RocksStore.open(folder, MEMORY)) {
      for (Map.Entry<BlockId, BlockPlace> one : places.entrySet()) {
        BlockPlace found = store.index().find(List.of(one.getKey())).getFirst();
        if (found != null) {
          assertThat(found).isEqualTo(one.getValue());
          known++;
        }
      }
    } catch (RepositoryException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.INDEX_FAILED);
    }
    assertThat(known).isLessThan(places.size());
  }

  @Test
  void holdsManyTimesItsMemory() {
    // 200,000 × 56 bytes through a quarter of 4 MiB of memtables: flushes and compactions happen.
    try (RocksStore store = RocksStore.open(folder, MEMORY)) {
      for (int batch = 0; batch < 40; batch++) {
        store.index().put(places(5_000, batch));
      }
      for (int batch = 0; batch < 40; batch += 7) {
        Map<BlockId, BlockPlace> expected = places(5_000, batch);
        List<BlockId> ids = List.copyOf(expected.keySet());
        assertThat(store.index().find(ids)).isEqualTo(ids.stream().map(expected::get).toList());
      }
      // A memtable that is being flushed can't be evicted, and the one after it is filled
      // meanwhile.
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
      while (store.memoryBytes() > MEMORY) {
        assertThat(store.memoryBytes()).isLessThan(MEMORY * 5 / 4);
        assertThat(System.nanoTime()).isLessThan(deadline);
        store.index().find(List.copyOf(places(5_000, 1).keySet()));
      }
    }
  }

  @Test
  void servesManyThreadsAtOnce() throws InterruptedException {
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    try (RocksStore store = RocksStore.open(folder, MEMORY)) {
      BlockIndex index = store.index();
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        int seed = t;
        threads.add(
            Thread.ofPlatform()
                .uncaughtExceptionHandler((thread, e) -> failure.set(e))
                .start(
                    () -> {
                      Map<BlockId, BlockPlace> mine = places(2_000, 100 + seed);
                      index.put(mine);
                      List<BlockId> ids = List.copyOf(mine.keySet());
                      assertThat(index.find(ids)).isEqualTo(ids.stream().map(mine::get).toList());
                    }));
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }
    assertThat(failure.get()).isNull();
  }

  private static void change(
      BlockIndex index, Map<BlockId, BlockPlace> model, RandomGenerator random) {
    if (random.nextInt(3) == 0) {
      List<BlockId> gone = new ArrayList<>();
      for (int i = random.nextInt(50); i > 0; i--) {
        gone.add(id(random.nextInt(3_000)));
      }
      index.remove(gone);
      gone.forEach(model::remove);
    } else {
      Map<BlockId, BlockPlace> fresh = new HashMap<>();
      for (int i = random.nextInt(2_000); i > 0; i--) {
        fresh.put(id(random.nextInt(3_000)), place(random));
      }
      index.put(fresh);
      model.putAll(fresh);
    }
    if (random.nextInt(5) == 0) {
      index.sync();
    }
  }

  private static void assertSame(
      BlockIndex index, Map<BlockId, BlockPlace> model, RandomGenerator random) {
    List<BlockId> asked = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      asked.add(id(random.nextInt(3_500)));
    }
    assertThat(index.find(asked)).isEqualTo(asked.stream().map(model::get).toList());
  }

  private static Map<BlockId, BlockPlace> places(int count, long seed) {
    RandomGenerator random = new SplittableRandom(seed);
    Map<BlockId, BlockPlace> places = new HashMap<>();
    for (int i = 0; i < count; i++) {
      places.put(
          new BlockId(random.nextLong(), random.nextLong(), random.nextLong(), random.nextLong()),
          place(random));
    }
    return places;
  }

  private static BlockPlace place(RandomGenerator random) {
    return new BlockPlace(
        new UUID(0, random.nextInt(20)),
        random.nextInt(1 << 20) * 4096L,
        random.nextInt(1 << 20),
        0);
  }

  private static BlockId id(long number) {
    return new BlockId(number * 0x9E3779B97F4A7C15L, number, ~number, 0);
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    try (var files = Files.list(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
  }
}
