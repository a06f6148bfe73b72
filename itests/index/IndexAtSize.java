import dev.mover.api.block.BlockId;
import dev.mover.dedup.index.BlockIndex;
import dev.mover.dedup.index.BlockPlace;
import dev.mover.dedup.index.rocks.RocksStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/**
 * Fills a block index with random ids as sessions do, and measures what it then costs: {@code
 * IndexAtSize FOLDER ENTRIES MEMORY_MIB}. Ids are made from their number, so nothing is kept: the
 * ids from 0 on are known, those from ENTRIES on are not.
 */
final class IndexAtSize {
  /** New slots of one checkpoint of a session: 1 GiB of blocks. */
  private static final int CHECKPOINT = 1024;

  /** Ids of one OFFER. */
  private static final int BATCH = 128;

  private static final int[] THREADS = {1, 2, 4};
  private static final long LOOKUP_NS = 10_000_000_000L;

  private static final double QUIET_SECONDS = 5;

  /** Backup files the ids are spread over: 100,000 blocks each at 100 million. */
  private static final int FILES = 1000;

  private final Path folder;
  private final long entries;
  private final long memoryBytes;

  private IndexAtSize(Path folder, long entries, long memoryBytes) {
    this.folder = folder;
    this.entries = entries;
    this.memoryBytes = memoryBytes;
  }

  public static void main(String[] args) throws Exception {
    new IndexAtSize(
            Path.of(args[0]), Long.parseLong(args[1]), Long.parseLong(args[2]) << 20)
        .run();
  }

  private void run() throws Exception {
    say("%,d entries, %d MiB for cache and memtables", entries, memoryBytes >> 20);
    if (Files.exists(folder)) {
      say("built before, in %s", folder);
    } else {
      build();
    }
    long start = System.nanoTime();
    try (RocksStore store = RocksStore.open(folder, memoryBytes)) {
      BlockIndex index = store.index();
      check(index);
      say("opened and asked once in %.2f s", seconds(start));
      long bytes = size();
      say("on disk: %,d bytes, %.1f an entry", bytes, (double) bytes / entries);
      say("settled after %.0f s", settle());
      look(index, 2, 0.5); // fills the cache; not counted
      for (int threads : THREADS) {
        say(
            "%d threads, half known: %,.0f lookups/s", threads, look(index, threads, 0.5));
      }
      say("2 threads, none known: %,.0f lookups/s", look(index, 2, 0));
      say("2 threads, all known: %,.0f lookups/s", look(index, 2, 1));
    }
    say("most memory resident: %d MiB", peakRssKib() >> 10);
  }

  private void build() {
    long start = System.nanoTime();
    try (RocksStore store = RocksStore.open(folder, memoryBytes)) {
      BlockIndex index = store.index();
      Map<BlockId, BlockPlace> places = new HashMap<>();
      for (long i = 0; i < entries; i++) {
        places.put(id(i), place(i));
        if (places.size() == CHECKPOINT || i == entries - 1) {
          index.put(places);
          places.clear();
        }
        if ((i + 1) % (entries / 10) == 0) {
          index.sync();
          say("%,d put in %.0f s, %d MiB resident", i + 1, seconds(start), peakRssKib() >> 10);
        }
      }
      say("put %,.0f entries/s", entries / seconds(start));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    say("closed after %.0f s", seconds(start));
  }

  /**
   * Waits until compaction has come to rest: what was put at full speed is still being merged, on
   * the same cores. The seconds it took.
   */
  private static double settle() throws Exception {
    long start = System.nanoTime();
    long written = writtenBytes();
    long quietSince = start;
    while (seconds(quietSince) < QUIET_SECONDS) {
      Thread.sleep(500);
      long now = writtenBytes();
      if (now != written) {
        written = now;
        quietSince = System.nanoTime();
      }
    }
    return seconds(start);
  }

  private static long writtenBytes() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/io")).stream()
        .filter(line -> line.startsWith("write_bytes:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElseThrow();
  }

  /** The index must answer right before it may answer fast. */
  private void check(BlockIndex index) {
    List<BlockId> ids = List.of(id(0), id(entries - 1), id(entries / 2), id(entries));
    List<BlockPlace> places = index.find(ids);
    if (!place(0).equals(places.get(0))
        || !place(entries - 1).equals(places.get(1))
        || !place(entries / 2).equals(places.get(2))
        || places.get(3) != null) {
      throw new AssertionError("wrong answers: " + places);
    }
  }

  /** Lookups a second, of ids of which {@code known} are in the index. */
  private double look(BlockIndex index, int threads, double known) throws Exception {
    long start = System.nanoTime();
    long done = 0;
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      List<Future<Long>> running = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        SplittableRandom random = new SplittableRandom(start + t);
        running.add(pool.submit(() -> lookFor(index, random, known)));
      }
      for (Future<Long> one : running) {
        done += one.get();
      }
    }
    return done / seconds(start);
  }

  private long lookFor(BlockIndex index, SplittableRandom random, double known) {
    long end = System.nanoTime() + LOOKUP_NS;
    long done = 0;
    while (System.nanoTime() < end) {
      List<BlockId> ids = new ArrayList<>(BATCH);
      int expected = 0;
      for (int i = 0; i < BATCH; i++) {
        boolean hit = random.nextDouble() < known;
        ids.add(id(random.nextLong(entries) + (hit ? 0 : entries)));
        expected += hit ? 1 : 0;
      }
      long found = index.find(ids).stream().filter(Objects::nonNull).count();
      if (found != expected) {
        throw new AssertionError(found + " of " + expected + " known ids were found");
      }
      done += BATCH;
    }
    return done;
  }

  private static BlockId id(long number) {
    SplittableRandom random = new SplittableRandom(number);
    return new BlockId(
        random.nextLong(), random.nextLong(), random.nextLong(), random.nextLong());
  }

  /** As backup files lie: neighbours in the index have nothing in common. */
  private static BlockPlace place(long number) {
    SplittableRandom random = new SplittableRandom(number % FILES);
    UUID file = new UUID(random.nextLong(), random.nextLong());
    int length = 100_000 + (int) (number * 31 % 800_000);
    return new BlockPlace(file, (number / FILES * 100 + number % 50) * 4096, length, 0);
  }

  private long size() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.mapToLong(file -> file.toFile().length()).sum();
    }
  }

  private static long peakRssKib() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith("VmHWM:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElseThrow();
  }

  private static double seconds(long startNs) {
    return (System.nanoTime() - startNs) / 1e9;
  }

  private static void say(String format, Object... values) {
    System.out.printf(Locale.ROOT, format + "%n", values);
  }
}
