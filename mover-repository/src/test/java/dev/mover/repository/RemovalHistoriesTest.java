package dev.mover.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.point.Removal;
import dev.mover.api.point.RemovalMode;
import dev.mover.api.point.RestorePoint;
import dev.mover.api.point.Retention;
import dev.mover.api.point.Verdict.Outcome;
import dev.mover.repository.extent.ExtentLayout;
import dev.mover.testkit.Background;
import dev.mover.testkit.LoopMount;
import dev.mover.testkit.LoopMount.Kind;
import dev.mover.testkit.Seeds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random histories of backups, deletions, retentions, crashes of either, restarts, and indexes that
 * come back from the past: whatever was committed and not deleted restores byte for byte.
 */
class RemovalHistoriesTest {
  private static final BlockSize SIZE = BlockSize.KIB_256;
  private static final int MOST_BLOCKS = 12;
  private static final List<String> MACHINES = List.of("web", "db");

  /** More by hand: {@code -Dmover.histories=1000}. */
  private static final int HISTORIES = Integer.getInteger("mover.histories", 8);

  @ParameterizedTest
  @CsvSource({"EXT4, 4", "XFS, 1", "BTRFS, 1"})
  void everyPointThatIsLeftStaysWhole(Kind kind, int share) {
    try (LoopMount mount = LoopMount.orSkip(kind, 600L << 20)) {
      Seeds.check(
          Math.max(1, HISTORIES * share / 4),
          random -> {
            try (History history = new History(mount.folder(), random, kind.clones())) {
              history.run(30);
            }
          });
    }
  }

  private static final class History implements AutoCloseable {
    private final Path directory;
    private final Path oldIndex;
    private final RandomGenerator random;
    private final boolean clones;
    private final Map<String, TreeMap<Long, byte[]>> model = new HashMap<>();
    private final Map<String, List<byte[]>> past = new HashMap<>();
    private Repository repository;
    private final FaultyFiles files = new FaultyFiles();

    History(Path folder, RandomGenerator random, boolean clones) {
      this.directory = folder.resolve("repository");
      this.oldIndex = folder.resolve("old-index");
      this.random = random;
      this.clones = clones;
      MACHINES.forEach(m -> model.put(m, new TreeMap<>()));
      MACHINES.forEach(m -> past.put(m, new ArrayList<>()));
      this.repository = reopened();
    }

    private Repository reopened() {
      return Repository.open(
          directory, RepositoryOptions.DEFAULT, files::over, RepositoryTimes.DEFAULT);
    }

    private void reopen() {
      repository.close();
      assertThat(repository.leasedBytes()).isZero();
      repository = reopened();
    }

    void run(int steps) throws IOException {
      for (int i = 0; i < steps; i++) {
        step(MACHINES.get(random.nextInt(MACHINES.size())));
        if (i % 6 == 5) {
          check();
        }
      }
      check();
    }

    private void step(String machine) throws IOException {
      switch (random.nextInt(14)) {
        case 0, 1, 2, 3, 4 -> backup(machine, nextDisk(machine));
        case 5, 6, 7 -> delete(machine);
        case 8 -> retain(machine);
        case 9 -> deleteDuringABackup(machine);
        case 10 -> cutOff(() -> delete(machine, r -> {}));
        case 11 -> cutOff(() -> backup(machine, nextDisk(machine)));
        case 12 -> keepIndex();
        default -> bringOldIndexBack();
      }
    }

    /** A disk like the one before, or like one of long ago: a few blocks new, moved, or gone. */
    private byte[] nextDisk(String machine) {
      List<byte[]> disks = Objects.requireNonNull(past.get(machine));
      int blocks = random.nextInt(1, MOST_BLOCKS + 1);
      byte[] disk =
          disks.isEmpty()
              ? Content.disk(blocks * SIZE.bytes(), random.nextLong())
              : Arrays.copyOf(
                  disks.get(
                      random.nextInt(2) == 0 ? disks.size() - 1 : random.nextInt(disks.size())),
                  blocks * SIZE.bytes() - random.nextInt(2) * 700);
      for (int change = random.nextInt(4); change > 0; change--) {
        int at = random.nextInt(blocks) * SIZE.bytes();
        if (at + SIZE.bytes() > disk.length) {
          continue;
        }
        if (random.nextBoolean() || disks.isEmpty()) {
          disk[at + random.nextInt(SIZE.bytes())] ^= 1;
        } else {
          byte[] from = disks.get(random.nextInt(disks.size()));
          int source = random.nextInt(Math.ceilDiv(from.length, SIZE.bytes())) * SIZE.bytes();
          System.arraycopy(from, source, disk, at, Math.min(SIZE.bytes(), from.length - source));
        }
      }
      disks.add(disk);
      return disk;
    }

    private void backup(String machine, byte[] disk) {
      long sequence =
          ScriptedProxy.backup(repository.links(), SIZE, machine, Map.of("system", disk))
              .sequence();
      points(machine).put(sequence, disk);
    }

    private NavigableMap<Long, byte[]> points(String machine) {
      return Objects.requireNonNull(model.get(machine));
    }

    private void delete(String machine) {
      delete(machine, r -> assertThat(r.problem()).isEmpty());
    }

    /**
     * @param look at what the repository says it did
     */
    private void delete(String machine, Consumer<Removal> look) {
      List<Long> all = List.copyOf(points(machine).keySet());
      if (!all.isEmpty()) {
        long which = random.nextInt(12) == 0 ? 0 : all.get(random.nextInt(all.size()));
        gone(ScriptedRemoval.delete(repository.links(), machine, which), look);
      }
    }

    private void gone(ScriptedRemoval removal, Consumer<Removal> look) {
      for (Removal r : removal.removals()) {
        look.accept(r);
        points(r.machine()).keySet().removeAll(r.sequences());
      }
    }

    /** The newest stays in any case; a catalogue from the past may know less, and keeps more. */
    private void retain(String machine) {
      if (points(machine).isEmpty()) {
        return;
      }
      long newest = points(machine).lastKey();
      Retention keep = new Retention(random.nextInt(1, 4), 0, 0, 0, 1);
      gone(
          ScriptedRemoval.retain(repository.links(), "", keep, RemovalMode.DELETE),
          r -> assertThat(r.problem()).isEmpty());
      assertThat(points(machine)).containsKey(newest);
    }

    private void deleteDuringABackup(String machine) {
      if (points(machine).isEmpty()) {
        return;
      }
      byte[] disk = nextDisk(machine);
      try (ScriptedProxy session = new ScriptedProxy(repository.links(), SIZE)) {
        session.open(machine, Map.of("system", disk));
        CompletableFuture<Boolean> deletion = Background.supply(() -> deletes(machine));
        session.begin(0);
        session.stream(0);
        assertThat(deletion.join()).isEqualTo(clones);
        points(machine).put(session.commit().sequence(), disk);
      }
    }

    private boolean deletes(String machine) {
      try {
        delete(machine);
        return true;
      } catch (MoverException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.MACHINE_BUSY);
        return false;
      }
    }

    /** What was under way when the disk went away is done or not, and nothing else happened. */
    private void cutOff(Runnable what) {
      files.changes.set(0);
      files.failFrom.set(random.nextInt(12));
      try {
        what.run();
      } catch (MoverException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.REPOSITORY_WRITE_FAILED);
      }
      reopen();
      try (Repository beside = Repository.openReadOnly(directory)) {
        for (String machine : MACHINES) {
          List<Long> there =
              ScriptedReader.points(beside.links(), machine).stream()
                  .map(RestorePoint::sequence)
                  .toList();
          points(machine).keySet().retainAll(there);
          for (long sequence : there) { // a rename that was done before the disk went
            points(machine).computeIfAbsent(sequence, _ -> newest(machine));
          }
        }
      }
    }

    private byte[] newest(String machine) {
      return Objects.requireNonNull(past.get(machine)).getLast();
    }

    private void keepIndex() throws IOException {
      repository.close();
      ExtentLayout.removeTree(oldIndex);
      copy(directory.resolve("index"), oldIndex);
      repository = reopened();
    }

    private void bringOldIndexBack() throws IOException {
      if (Files.exists(oldIndex)) {
        repository.close();
        ExtentLayout.removeTree(directory.resolve("index"));
        copy(oldIndex, directory.resolve("index"));
        repository = reopened();
      }
    }

    private static void copy(Path from, Path to) throws IOException {
      try (Stream<Path> all = Files.walk(from)) {
        for (Path path : all.toList()) {
          Files.copy(path, to.resolve(from.relativize(path).toString()));
        }
      }
    }

    private void check() {
      model.forEach(
          (machine, points) ->
              points.forEach(
                  (sequence, disk) ->
                      assertThat(ScriptedReader.restore(repository.links(), machine, sequence, 0))
                          .as("%s %d", machine, sequence)
                          .isEqualTo(disk)));
      try (Repository beside = Repository.openReadOnly(directory)) {
        assertThat(ScriptedReader.verify(beside.links(), "", true))
            .hasSize(model.values().stream().mapToInt(TreeMap::size).sum())
            .allSatisfy(v -> assertThat(v.findings()).isEmpty())
            .allSatisfy(v -> assertThat(v.outcome()).isEqualTo(Outcome.SOUND));
      }
    }

    @Override
    public void close() {
      repository.close();
      try {
        ExtentLayout.removeTree(directory);
        ExtentLayout.removeTree(oldIndex);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
