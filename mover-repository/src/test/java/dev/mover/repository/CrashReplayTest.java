package dev.mover.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.point.RestorePoint;
import dev.mover.api.point.Verdict;
import dev.mover.api.point.Verdict.Outcome;
import dev.mover.repository.CrashImage.Loss;
import dev.mover.repository.CrashLog.Entry;
import dev.mover.repository.CrashLog.Step;
import dev.mover.repository.extent.ExtentLayout;
import dev.mover.testkit.LoopMount;
import dev.mover.testkit.LoopMount.Kind;
import dev.mover.transport.frame.Committed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Crashes before every step of a history of backups, deletions and a healing, with three kinds of
 * loss: what the file system would have left is opened as a repository, and has to hold every point
 * whose proxy was told and that nobody asked to delete, none that was deleted, no half one, and
 * nothing that misleads the next backup.
 *
 * <p>Every other step is crashed at, with one kind of loss after the other in turn; {@code
 * -Dmover.crash.all=true} takes every step, and all three at each.
 */
class CrashReplayTest {
  private static final BlockSize SIZE = BlockSize.KIB_256;
  private static final String DAMAGED = "damaged";
  private static final boolean ALL = Boolean.getBoolean("mover.crash.all");

  private final Map<String, byte[]> contents = new HashMap<>();
  private final List<Path> indexes = new ArrayList<>();
  private @Nullable LoopMount mount;
  private Path live = Path.of("unset");
  private long lastIndexBytes = -1;

  @AfterEach
  void unmount() {
    if (mount != null) {
      mount.close();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"XFS", "EXT4"})
  void everyPointIsWholeOrAbsent(Kind kind) throws IOException {
    mount = LoopMount.orSkip(kind, 512L << 20);
    live = folder().resolve("live");
    List<Entry> entries = history();
    int crashes = 0;
    int first = ALL || kind == Kind.EXT4 ? 1 : 2; // one file system takes what the other leaves out
    for (int end = first; end <= entries.size(); end += ALL ? 1 : 2) {
      List<Loss> losses = List.of(Loss.values());
      for (Loss loss : ALL ? losses : List.of(losses.get(end % losses.size()))) {
        crash(entries, end, loss);
        crashes++;
      }
    }
    System.out.printf("%s: %d steps, %d crashes%n", kind, entries.size(), crashes);
    assertThat(crashes).isGreaterThan(50);
  }

  /** This test can fail: were nothing made durable, it would miss the points that were told. */
  @Test
  void noticesWhenNothingIsMadeDurable() throws IOException {
    mount = LoopMount.orSkip(Kind.EXT4, 512L << 20);
    live = folder().resolve("live");
    List<Entry> entries =
        history().stream()
            .filter(e -> !(e.step() instanceof Step.Sync || e.step() instanceof Step.SyncFolder))
            .toList();
    crash(entries, entries.size(), Loss.NONE);
    assertThatThrownBy(() -> crash(entries, entries.size(), Loss.ALL))
        .isInstanceOf(AssertionError.class);
  }

  private Path folder() {
    return Objects.requireNonNull(mount).folder();
  }

  /**
   * Full, increments, another machine, a session that died, one that takes up what it left, a
   * deletion, and rot that the next backup heals; then the healed point is deleted.
   */
  private List<Entry> history() throws IOException {
    byte[] disk = Content.disk(8 * SIZE.bytes(), 1);
    CrashLog[] log = new CrashLog[1];
    try (Repository repository =
        Repository.open(
            live,
            RepositoryOptions.DEFAULT,
            files -> {
              log[0] = new CrashLog(files, this::keepIndex);
              return log[0];
            },
            RepositoryTimes.DEFAULT.withCheckpointEvery(Duration.ZERO))) {
      backup(repository, log[0], "web", disk);
      byte[] changed = change(disk, 2, 5);
      backup(repository, log[0], "web", changed);
      backup(repository, log[0], "db", changed);
      byte[] last = change(changed, 0, 1, 3, 6);
      dieAfter(repository, "web", last, 3);
      backup(repository, log[0], "web", last);
      delete(repository, log[0], "web", 2);
      log[0].rot(point("web", 1), StoredSlots.own(point("web", 1)).get(4).offset() + 300);
      assertThat(ScriptedReader.verify(repository.links(), "web", true))
          .anyMatch(verdict -> verdict.outcome() == Outcome.DAMAGED);
      backup(repository, log[0], "web", change(last, 7));
      assertThat(ScriptedReader.verify(repository.links(), "web", true))
          .allMatch(verdict -> verdict.outcome() == Outcome.SOUND);
      log[0].mark(new Step.Healed());
      delete(repository, log[0], "web", 1);
      return log[0].entries();
    }
  }

  private static byte[] change(byte[] disk, int... blocks) {
    byte[] changed = disk.clone();
    for (int block : blocks) {
      changed[block * SIZE.bytes() + 17] ^= 1;
    }
    return changed;
  }

  private void backup(Repository repository, CrashLog log, String machine, byte[] disk)
      throws IOException {
    long next = 1 + contents.keySet().stream().filter(k -> k.startsWith(machine + "/")).count();
    contents.put(machine + "/" + next, disk);
    Committed committed =
        ScriptedProxy.backup(repository.links(), SIZE, machine, Map.of("system", disk));
    assertThat(committed.sequence()).isEqualTo(next);
    log.mark(new Step.Told(machine, next));
  }

  private static void delete(Repository repository, CrashLog log, String machine, long sequence)
      throws IOException {
    log.mark(new Step.Doomed(machine, sequence));
    ScriptedRemoval.delete(repository.links(), machine, sequence);
    log.mark(new Step.Gone(machine, sequence));
  }

  private Path point(String machine, long sequence) throws IOException {
    return ExtentLayout.files(live.resolve("machines").resolve(machine)).stream()
        .filter(file -> file.committed() && file.sequence() == sequence)
        .findFirst()
        .orElseThrow()
        .path();
  }

  private static void dieAfter(Repository repository, String machine, byte[] disk, int blocks) {
    try (ScriptedProxy proxy = new ScriptedProxy(repository.links(), SIZE)) {
      proxy.open(machine, Map.of("system", disk));
      proxy.begin(0);
      List<BlockId> ids = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        ids.add(proxy.id(0, i));
      }
      proxy.offer(0, 0, ids).stream()
          .limit(blocks)
          .forEach(
              block -> {
                proxy.sendBlock(0, block);
                int sent = proxy.sentBlocks;
                proxy.await("CHECKPOINT", () -> proxy.checkpoints >= sent);
              });
    }
  }

  /**
   * A copy of the index as a kill would leave it, and of the damage log, when they are not those
   * copied before.
   */
  private int keepIndex() throws IOException {
    Path index = live.resolve("index");
    Path damaged = live.resolve(DAMAGED);
    long bytes = Files.exists(damaged) ? Files.size(damaged) : 0;
    try (Stream<Path> files = Files.list(index)) {
      for (Path file : files.toList()) {
        bytes += Files.size(file);
      }
    }
    if (bytes != lastIndexBytes) {
      lastIndexBytes = bytes;
      Path copy = Files.createDirectory(folder().resolve("index-" + indexes.size()));
      copy(index, copy);
      if (Files.exists(damaged)) {
        Files.copy(damaged, copy.resolve(DAMAGED));
      }
      indexes.add(copy);
    }
    return indexes.size() - 1;
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (!file.getFileName().toString().equals("LOCK")) {
          Files.copy(file, to.resolve(file.getFileName()));
        }
      }
    }
  }

  private void crash(List<Entry> entries, int end, Loss loss) throws IOException {
    String when =
        "a crash before step %d of %d, %s, after %s"
            .formatted(end, entries.size(), loss, entries.get(end - 1).step().getClass());
    Path left = folder().resolve("left");
    Files.createDirectories(left.resolve("machines"));
    Files.copy(live.resolve("repository.json"), left.resolve("repository.json"));
    int index = entries.get(Math.min(end, entries.size() - 1)).index();
    copy(indexes.get(index), left.resolve("index"));
    if (Files.exists(left.resolve("index").resolve(DAMAGED))) {
      Files.move(left.resolve("index").resolve(DAMAGED), left.resolve(DAMAGED));
    }
    new CrashImage(entries, end, loss, new Random(end)).writeTo(left, live);
    Set<String> must = new TreeSet<>();
    Set<String> may = new TreeSet<>(contents.keySet());
    boolean rotten = false;
    for (Entry entry : entries.subList(0, end)) {
      switch (entry.step()) {
        case Step.Told(String machine, long sequence) -> must.add(machine + "/" + sequence);
        case Step.Doomed(String machine, long sequence) -> must.remove(machine + "/" + sequence);
        case Step.Gone(String machine, long sequence) -> may.remove(machine + "/" + sequence);
        case Step.Rotten _ -> rotten = true;
        case Step.Healed _ -> rotten = false;
        default -> {}
      }
    }
    try (Repository repository = Repository.open(left, RepositoryOptions.DEFAULT)) {
      List<String> points =
          ScriptedReader.points(repository.links(), "").stream().map(this::named).toList();
      assertThat(points).as(when).containsAll(must);
      assertThat(may).as(when).containsAll(points);
      for (String point : points) {
        assertRestores(repository, point, rotten, when);
      }
      goesOn(repository, when);
      assertThat(ScriptedReader.verify(repository.links(), "", true))
          .as(when)
          .extracting(Verdict::outcome)
          .allMatch(outcome -> outcome == Outcome.SOUND);
    }
    assertThat(leftovers(left)).as(when).isEmpty();
    ExtentLayout.removeTree(left);
  }

  /** Backups of what the dead session had begun are misled by nothing that is left, and heal. */
  private void goesOn(Repository repository, String when) {
    byte[] last = Objects.requireNonNull(contents.get("web/3"));
    for (String machine : List.of("web", "db")) {
      Committed committed =
          ScriptedProxy.backup(repository.links(), SIZE, machine, Map.of("system", last));
      assertThat(ScriptedReader.restore(repository.links(), machine, committed.sequence(), 0))
          .as(when)
          .isEqualTo(last);
    }
  }

  /** Byte for byte, or with a damaged block that is named where there is rot. */
  private void assertRestores(Repository repository, String point, boolean rotten, String when) {
    int slash = point.indexOf('/');
    String machine = point.substring(0, slash);
    long sequence = Long.parseLong(point.substring(slash + 1));
    if (rotten && isDamaged(repository, machine, sequence)) {
      return;
    }
    assertThat(ScriptedReader.restore(repository.links(), machine, sequence, 0))
        .as("%s of %s", point, when)
        .isEqualTo(contents.get(point));
  }

  private static boolean isDamaged(Repository repository, String machine, long sequence) {
    return ScriptedReader.verify(repository.links(), machine, true).stream()
        .anyMatch(v -> v.sequence() == sequence && v.outcome() == Outcome.DAMAGED);
  }

  private String named(RestorePoint point) {
    assertThat(point.isReadable()).isTrue();
    return point.machine().value() + "/" + point.sequence();
  }

  private static List<Path> leftovers(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory.resolve("machines"))) {
      return all.filter(p -> p.toString().endsWith(".partial") || p.toString().endsWith(".healing"))
          .toList();
    }
  }
}
