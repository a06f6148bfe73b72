package dev.mover.repository;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.repository.CrashImage.Loss;
import dev.mover.repository.CrashLog.Entry;
import dev.mover.repository.CrashLog.Step;
import dev.mover.repository.extent.ExtentLayout;
import dev.mover.repository.extent.ExtentLayout.Found;
import dev.mover.repository.extent.LastSequence;
import dev.mover.repository.file.Footer;
import dev.mover.repository.file.MapEntry.Slot;
import dev.mover.repository.file.SlotHeader;
import dev.mover.repository.session.AwayTimes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The disk below a repository, on a real file system, that goes down and comes up again: backup
 * files and folders are then what a {@link CrashImage} says, with what was not synced lost or torn
 * by chance; the index is what it was at that moment, or older, or gone. It can be full, too.
 * Threads of the repository use it; its own methods are called from one.
 */
public final class SimulatedDisk {
  /** A live session whose link is lost is waited for that long: histories are short. */
  private static final AwayTimes AWAY =
      new AwayTimes(Duration.ofMillis(200), Duration.ofMillis(600));

  private final Path folder;
  private final Clock clock;
  private final Random random;
  private final List<Path> ballast = new ArrayList<>();
  private int generation;
  private boolean indexed;
  private boolean lying;
  private @Nullable Path olderIndex;
  private @Nullable Repository repository;
  private @Nullable CrashLog log;

  /**
   * A disk without a repository.
   *
   * @param folder where it lies, on the file system to use
   */
  public SimulatedDisk(Path folder, Clock clock, long seed) {
    this.folder = folder;
    this.clock = clock;
    this.random = new Random(seed);
  }

  /** Where the repository lies until the next crash. */
  public Path directory() {
    return folder.resolve("repository-" + generation);
  }

  /** Opens it, with every checkpoint as soon as it can be. */
  public Repository open(RepositoryOptions options) {
    indexed = false;
    repository =
        Repository.open(
            directory(),
            options,
            files -> {
              CrashLog made = new CrashLog(files, this::keepIndex);
              log = made;
              addDurable(made);
              return made;
            },
            RepositoryTimes.DEFAULT
                .withCheckpointEvery(Duration.ZERO)
                .withAway(AWAY)
                .withClock(clock));
    return repository;
  }

  private void addDurable(CrashLog into) {
    try {
      for (Path machine : new ExtentLayout(directory()).machineFolders()) {
        for (Found file : ExtentLayout.files(machine)) {
          into.addDurable(file.path());
        }
        for (Path file : ExtentLayout.healings(machine)) {
          into.addDurable(file);
        }
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** The machine goes down within so many steps of the disk from now. */
  public void crashAfter(int steps) {
    log().crashAfter(steps);
  }

  public boolean hasCrashed() {
    return log().hasCrashed();
  }

  /** A block that rotted, of the first disk of a point. */
  public record Rotten(String machine, long sequence, BlockSize blockSize, BlockId id) {}

  /** Lets a block rot in some point's own file; none where no point has one of its own. */
  public Optional<Rotten> rot() throws IOException {
    List<Path> points = new ArrayList<>();
    for (Path folder : new ExtentLayout(directory()).machineFolders()) {
      ExtentLayout.files(folder).stream()
          .filter(Found::committed)
          .map(Found::path)
          .forEach(points::add);
    }
    if (points.isEmpty()) {
      return Optional.empty();
    }
    Path point = points.get(random.nextInt(points.size()));
    List<Slot> slots = StoredSlots.own(point);
    if (slots.isEmpty()) {
      return Optional.empty();
    }
    Slot slot = slots.get(random.nextInt(slots.size()));
    log().rot(point, slot.offset() + SlotHeader.BYTES + random.nextInt(payload(slot)));
    Footer footer = StoredSlots.footer(point);
    return Optional.of(
        new Rotten(footer.machine().value(), footer.sequence(), footer.blockSize(), slot.id()));
  }

  private static int payload(Slot slot) {
    return slot.storedLength() - SlotHeader.BYTES;
  }

  /** From now on a sync makes nothing durable, and a crash takes all: for tests of tests. */
  public void lie() {
    lying = true;
  }

  /** Not a byte can be written until {@link #free}. */
  public void fill() throws IOException {
    ballast.addAll(Ballast.fill(folder));
  }

  public void free() throws IOException {
    for (Path file : ballast) {
      Files.deleteIfExists(file);
    }
    ballast.clear();
  }

  /**
   * Closes the repository; after a crash its directory is another one then, that holds what the
   * crash left.
   */
  public void close() throws IOException {
    Repository open = Objects.requireNonNull(repository);
    boolean crashed = hasCrashed();
    open.close();
    repository = null;
    if (open.leasedBytes() != 0) {
      throw new AssertionError(open.leasedBytes() + " bytes of buffers were never given back");
    }
    if (crashed) {
      comeUpAgain();
    } else if (random.nextBoolean()) {
      olderIndex = copyOf(directory().resolve("index"), "older-" + generation);
    }
  }

  /** Closes what is still open, whatever state it is in. */
  public void abandon() {
    if (repository != null) {
      repository.close();
      repository = null;
    }
  }

  private void comeUpAgain() throws IOException {
    Path down = directory();
    generation++;
    Path up = Files.createDirectories(directory());
    Files.createDirectories(up.resolve("machines"));
    for (String name : List.of("repository.json", "damaged")) {
      if (Files.exists(down.resolve(name))) {
        Files.copy(down.resolve(name), up.resolve(name));
      }
    }
    image(log().entries()).writeTo(up, down);
    for (Path machine : new ExtentLayout(up).machineFolders()) {
      LastSequence.raise(
          machine, LastSequence.of(down.resolve("machines").resolve(machine.getFileName())));
    }
    restoreIndex(up.resolve("index"));
    ExtentLayout.removeTree(down);
  }

  private CrashImage image(List<Entry> entries) {
    if (lying) {
      List<Entry> unsynced = entries.stream().filter(e -> !isSync(e.step())).toList();
      return new CrashImage(unsynced, unsynced.size(), Loss.ALL, random);
    }
    List<Loss> losses = List.of(Loss.values());
    Loss loss = losses.get(random.nextInt(losses.size()));
    return new CrashImage(entries, entries.size(), loss, random);
  }

  private static boolean isSync(Step step) {
    return step instanceof Step.Sync || step instanceof Step.SyncFolder;
  }

  private void restoreIndex(Path to) throws IOException {
    Path then = folder.resolve("index-" + (generation - 1));
    @Nullable Path older = olderIndex;
    int which = random.nextInt(4);
    if (which > 1 && Files.exists(then)) {
      Files.move(then, to);
    } else if (which == 1 && older != null) {
      copy(older, to);
    }
    ExtentLayout.removeTree(then);
  }

  /** The index as a kill at the last step would leave it. */
  private int keepIndex() throws IOException {
    if (!indexed && log != null && log().isLastStep()) {
      indexed = true;
      copyOf(directory().resolve("index"), "index-" + generation);
    }
    return 0;
  }

  private Path copyOf(Path index, String name) throws IOException {
    Path to = folder.resolve(name);
    ExtentLayout.removeTree(to);
    copy(index, to);
    return to;
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (!file.getFileName().toString().equals("LOCK")) {
          copyIfThere(file, to.resolve(file.getFileName()));
        }
      }
    }
  }

  /** Files of RocksDB come and go: without one the copy is of a damaged index. */
  private static void copyIfThere(Path from, Path to) throws IOException {
    try {
      Files.copy(from, to);
    } catch (NoSuchFileException e) {
      Files.deleteIfExists(to);
    }
  }

  private CrashLog log() {
    return Objects.requireNonNull(log, "opened first");
  }
}
