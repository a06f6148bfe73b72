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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Crashes before every step of a history of backups, with three kinds of loss: what the file system
 * would have left is opened as a repository, and has to hold every point whose proxy was told, no
 * half one, and nothing that misleads the next backup.
 *
 * <p>A step is crashed at with one kind of loss after the other in turn; {@code
 * -Dmover.crash.all=true} takes all three at each.
 */
class CrashReplayTest {
  private static final BlockSize SIZE = BlockSize.KIB_256;
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
    for (int end = 1; end <= entries.size(); end++) {
      List<Loss> losses = List.of(Loss.values());
      for (Loss loss : ALL ? losses : List.of(losses.get(end % losses.size()))) {
        crash(entries, end, loss);
        crashes++;
      }
    }
    System.out.printf("%s: %d steps, %d crashes%n", kind, entries.size(), crashes);
    assertThat(crashes).isGreaterThan(60);
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

  /** Full, increments, another machine, a session that died, and one that takes up what it left. */
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
    log.told(machine, next);
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

  /** A copy of the index as a kill would leave it, when it is not the one copied before. */
  private int keepIndex() throws IOException {
    Path index = live.resolve("index");
    long bytes = 0;
    try (Stream<Path> files = Files.list(index)) {
      for (Path file : files.toList()) {
        bytes += Files.size(file);
      }
    }
    if (bytes != lastIndexBytes) {
      lastIndexBytes = bytes;
      Path copy = Files.createDirectory(folder().resolve("index-" + indexes.size()));
      copy(index, copy);
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
    new CrashImage(entries, end, loss, new Random(end)).writeTo(left, live);
    try (Repository repository = Repository.open(left, RepositoryOptions.DEFAULT)) {
      List<String> points =
          ScriptedReader.points(repository.links(), "").stream().map(this::named).toList();
      assertThat(points).as(when).containsAll(told(entries.subList(0, end)));
      assertThat(contents.keySet()).as(when).containsAll(points);
      for (String point : points) {
        assertRestores(repository, point, when);
      }
      assertThat(ScriptedReader.verify(repository.links(), "", true))
          .as(when)
          .extracting(Verdict::outcome)
          .allMatch(outcome -> outcome == Outcome.SOUND);
      goesOn(repository, when);
    }
    assertThat(partials(left)).as(when).isEmpty();
    ExtentLayout.removeTree(left);
  }

  /** Backups of what the dead session had begun are misled by nothing that is left. */
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

  private void assertRestores(Repository repository, String point, String when) {
    int slash = point.indexOf('/');
    assertThat(
            ScriptedReader.restore(
                repository.links(),
                point.substring(0, slash),
                Long.parseLong(point.substring(slash + 1)),
                0))
        .as("%s of %s", point, when)
        .isEqualTo(contents.get(point));
  }

  private String named(RestorePoint point) {
    assertThat(point.isReadable()).isTrue();
    return point.machine().value() + "/" + point.sequence();
  }

  private static List<String> told(List<Entry> before) {
    return before.stream()
        .filter(e -> e.step() instanceof Step.Told)
        .map(e -> (Step.Told) e.step())
        .map(t -> t.machine() + "/" + t.sequence())
        .toList();
  }

  private static List<Path> partials(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory.resolve("machines"))) {
      return all.filter(p -> p.toString().endsWith(".partial")).toList();
    }
  }
}
