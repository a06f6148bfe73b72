package dev.mover.dedup.index.rocks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.block.BlockId;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.RepositoryException;
import dev.mover.dedup.index.BlockPlace;
import dev.mover.testkit.LoopMount;
import dev.mover.testkit.LoopMount.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A file system that fills up under an open database, and has room again later. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FullDatabaseTest {
  private static final UUID FILE = new UUID(1, 2);
  private static final long MEMORY_BYTES = 4 << 20;

  /** More than fit a memtable, so that logs and tables are begun, and some are under way. */
  private static final int BATCHES = 60;

  private final SplittableRandom random = new SplittableRandom(1);
  private final Map<BlockId, BlockPlace> there = new HashMap<>();

  private Map<BlockId, BlockPlace> batch() {
    Map<BlockId, BlockPlace> batch = new HashMap<>();
    for (int i = 0; i < 1024; i++) {
      byte[] id = new byte[BlockId.BYTES];
      random.nextBytes(id);
      batch.put(BlockId.of(id), new BlockPlace(FILE, 4096L * random.nextInt(1 << 30), 4096, 0));
    }
    return batch;
  }

  /** Puts so many batches, or as many as there is room for; how many. */
  private int put(RocksStore store, int most) {
    for (int i = 0; i < most; i++) {
      Map<BlockId, BlockPlace> batch = batch();
      try {
        store.index().put(batch);
        store.index().sync();
        there.putAll(batch);
      } catch (RepositoryException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.REPOSITORY_FULL);
        assertThat(e.getMessage()).contains("index");
        return i;
      }
    }
    return most;
  }

  /** XFS frees what was deleted a moment later, and a store tries once a second. */
  private void awaitWrites(RocksStore store) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (put(store, 1) == 0) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.onSpinWait();
    }
  }

  private void assertAllThere(RocksStore store) {
    List<BlockId> ids = List.copyOf(there.keySet());
    assertThat(store.index().find(ids)).isEqualTo(ids.stream().map(there::get).toList());
  }

  /** As small as it may be, for it is filled. */
  private static LoopMount mount(Kind kind) {
    return LoopMount.orSkip(kind, kind == Kind.XFS ? 320L << 20 : 96L << 20);
  }

  /** Writes until so many bytes are left. */
  private static Path fill(Path folder, long leftBytes) throws IOException {
    Path ballast = folder.resolve("ballast");
    try (FileChannel out =
        FileChannel.open(ballast, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      long bulk = Files.getFileStore(folder).getUsableSpace() - (16 << 20);
      out.write(ByteBuffer.allocate((int) bulk));
      out.force(false); // so that what is usable is told as it is
      ByteBuffer piece = ByteBuffer.allocate(4096);
      while (leftBytes == 0 || Files.getFileStore(folder).getUsableSpace() > leftBytes) {
        out.write(piece.clear());
      }
    } catch (IOException e) {
      assertThat(leftBytes).as("room for: %s", e).isZero();
    }
    return ballast;
  }

  /**
   * Where there is room for nothing, or for some of what a log and tables take: the database stops
   * at another place each time.
   */
  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"XFS", "EXT4"})
  void readsOnWhileItIsFullAndWritesOnWhenItIsNot(Kind kind) throws IOException {
    try (LoopMount mount = mount(kind)) {
      for (long left : new long[] {0, 300 << 10}) {
        AtomicInteger reopened = new AtomicInteger();
        Path folder = mount.folder().resolve("index-" + left);
        there.clear();
        try (RocksStore store = RocksStore.open(folder, MEMORY_BYTES)) {
          store.whenReopened(reopened::incrementAndGet);
          assertThat(put(store, 3)).isEqualTo(3);
          Path ballast = fill(mount.folder(), left);
          assertThat(put(store, 10 * BATCHES)).isLessThan(10 * BATCHES);
          assertThat(put(store, BATCHES)).isZero();
          assertAllThere(store);
          assertThat(reopened.get()).isZero();
          Files.delete(ballast);
          awaitWrites(store);
          assertThat(put(store, BATCHES)).isEqualTo(BATCHES);
          assertThat(reopened.get()).isOne();
          assertAllThere(store);
        }
        try (RocksStore store = RocksStore.open(folder, MEMORY_BYTES)) {
          assertAllThere(store);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"XFS", "EXT4"})
  void closesWhileItIsFull(Kind kind) throws IOException {
    try (LoopMount mount = mount(kind)) {
      Path folder = mount.folder().resolve("index");
      Path ballast;
      try (RocksStore store = RocksStore.open(folder, MEMORY_BYTES)) {
        put(store, 3);
        ballast = fill(mount.folder(), 0);
        put(store, BATCHES);
      }
      try {
        RocksStore.open(folder, MEMORY_BYTES).close(); // a little room may be left to some
      } catch (RepositoryException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.REPOSITORY_FULL);
      }
      Files.delete(ballast);
      try (RocksStore store = RocksStore.open(folder, MEMORY_BYTES)) {
        assertAllThere(store);
      }
    }
  }
}
