package dev.mover.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.point.RestorePoint;
import dev.mover.dedup.index.rocks.RocksStore;
import dev.mover.repository.catalogue.IndexFill;
import dev.mover.repository.catalogue.PointCatalogue;
import dev.mover.repository.extent.ExtentFiles;
import dev.mover.repository.extent.ExtentLayout;
import dev.mover.repository.extent.LinuxExtentFiles;
import dev.mover.testkit.LoopMount;
import dev.mover.testkit.LoopMount.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A lost index costs dedup until it is filled from the files, and nothing else. */
class IndexAnewTest {
  private static final BlockSize SIZE = BlockSize.KIB_256;
  private static final int BLOCKS = 8;
  private static final Map<Kind, LoopMount> MOUNTS = new EnumMap<>(Kind.class);

  @TempDir Path temp;

  private final byte[] early = Content.disk(BLOCKS * SIZE.bytes(), 1);
  private final byte[] late = Content.disk(BLOCKS * SIZE.bytes(), 2);

  @AfterAll
  static void unmount() {
    MOUNTS.values().forEach(LoopMount::close);
    MOUNTS.clear();
  }

  private static Path on(Kind kind) throws IOException {
    LoopMount mount = MOUNTS.computeIfAbsent(kind, k -> LoopMount.orSkip(k, 320L << 20));
    return Files.createTempDirectory(mount.folder(), "anew-").resolve("repository");
  }

  private static Repository open(Path directory) {
    return Repository.open(directory, RepositoryOptions.DEFAULT);
  }

  /** How many blocks had to be sent. */
  private static int backup(Repository repository, String machine, byte[] disk) {
    try (ScriptedProxy proxy = new ScriptedProxy(repository.links(), SIZE)) {
      proxy.run(machine, Map.of("system", disk));
      return proxy.sentBlocks;
    }
  }

  /** Two points of {@code web}, the first of which only the index knows when a third is made. */
  private void fill(Path directory) {
    try (Repository repository = open(directory)) {
      backup(repository, "web", early);
      backup(repository, "web", late);
    }
  }

  private static List<RestorePoint> points(Repository repository) {
    return repository.points("", "", 0, 100);
  }

  private static void awaitFilled(Repository repository) {
    ScriptedProxy.poll("the index to be filled", () -> repository.status().warnings().isEmpty());
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void isFilledInTheBackgroundWhenItIsGone(Kind kind) throws IOException {
    Path directory = on(kind);
    fill(directory);
    List<RestorePoint> before;
    try (Repository repository = Repository.openReadOnly(directory)) {
      before = points(repository);
    }
    ExtentLayout.removeTree(directory.resolve("index"));
    try (Repository repository = open(directory)) {
      assertThat(points(repository)).isEqualTo(before);
      awaitFilled(repository);
      assertThat(backup(repository, "web", early)).isZero();
      assertThat(ScriptedReader.restore(repository.links(), "web", 3, 0)).isEqualTo(early);
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void isFilledInTheBackgroundWhenItIsDamaged(Kind kind) throws IOException {
    Path directory = on(kind);
    fill(directory);
    Files.writeString(directory.resolve("index/CURRENT"), "nonsense");
    try (Repository repository = open(directory)) {
      awaitFilled(repository);
      assertThat(backup(repository, "web", early)).isZero();
    }
  }

  /** Only its folder came out of a backup, or a snapshot: every point is listed all the same. */
  @ParameterizedTest
  @EnumSource(Kind.class)
  void isFilledInTheBackgroundWhenItIsFromThePast(Kind kind) throws IOException {
    Path directory = on(kind);
    open(directory).close();
    Path past = directory.resolveSibling("past");
    copy(directory.resolve("index"), past);
    fill(directory);
    List<RestorePoint> before;
    try (Repository repository = Repository.openReadOnly(directory)) {
      before = points(repository);
    }
    ExtentLayout.removeTree(directory.resolve("index"));
    copy(past, directory.resolve("index"));
    try (Repository repository = open(directory)) {
      assertThat(points(repository)).isEqualTo(before);
      assertThat(repository.status().points()).isEqualTo(2);
      awaitFilled(repository);
      assertThat(backup(repository, "web", early)).isZero();
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path path : all.toList()) {
        Files.copy(path, to.resolve(from.relativize(path).toString()));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void isMadeAnewOnRequest(Kind kind) throws IOException {
    Path directory = on(kind);
    fill(directory);
    Path gone;
    try (Repository repository = open(directory)) {
      backup(repository, "db", late);
      gone = ExtentLayout.files(directory.resolve("machines/db")).getFirst().path();
    }
    Files.delete(gone);
    IndexFill.Progress done = Repository.rebuildIndex(directory, progress -> {});
    assertThat(done).isEqualTo(new IndexFill.Progress(2, 2, 2, 0, 2 * BLOCKS));
    try (Repository repository = open(directory)) {
      assertThat(repository.status().warnings()).isEmpty();
      assertThat(points(repository)).extracting(RestorePoint::sequence).containsExactly(1L, 2L);
      assertThat(backup(repository, "web", early)).isZero();
    }
  }

  @Test
  void namesTheFilesItCannotRead() throws IOException {
    fill(temp);
    Path first = ExtentLayout.files(temp.resolve("machines/web")).getFirst().path();
    Files.write(first, new byte[(int) Files.size(first)]);
    IndexFill.Progress done = Repository.rebuildIndex(temp, progress -> {});
    assertThat(done).isEqualTo(new IndexFill.Progress(1, 1, 2, 1, BLOCKS));
  }

  @Test
  void isNotMadeWhereThereIsNoRepository() throws IOException {
    assertThatThrownBy(() -> Repository.rebuildIndex(temp, progress -> {}))
        .isInstanceOfSatisfying(
            MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_A_REPOSITORY));
    try (Stream<Path> left = Files.list(temp)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void isLeftAloneBesideADaemon() {
    fill(temp);
    try (Repository daemon = open(temp)) {
      assertThatThrownBy(() -> Repository.rebuildIndex(temp, progress -> {}))
          .isInstanceOfSatisfying(
              MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.REPOSITORY_BUSY));
      assertThat(backup(daemon, "web", early)).isZero();
    }
  }

  /** What makes it impossible to open may be gone next time: no descriptor left, for example. */
  @Test
  void isKeptWhenItOnlyCannotBeOpened() {
    fill(temp);
    try (RocksStore held = RocksStore.open(temp.resolve("index"))) {
      assertThat(held.index().estimatedCount()).isEqualTo(2 * BLOCKS);
      assertThatThrownBy(() -> open(temp).close())
          .isInstanceOfSatisfying(
              MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INDEX_FAILED));
    }
    try (Repository repository = open(temp)) {
      assertThat(repository.status().warnings()).isEmpty();
      assertThat(backup(repository, "web", early)).isZero();
    }
  }

  @Test
  void goesOnWithTheMachineItWasAt() throws IOException {
    try (Repository repository = open(temp)) {
      for (String machine : List.of("a", "b", "c")) {
        backup(repository, machine, early);
      }
    }
    ExtentLayout.removeTree(temp.resolve("index"));
    IndexFill.Progress first = fillOnce(1);
    assertThat(first.machines()).isEqualTo(1);
    IndexFill.Progress rest = fillOnce(Integer.MAX_VALUE);
    assertThat(rest).isEqualTo(new IndexFill.Progress(2, 2, 2, 0, 2 * BLOCKS));
    assertThat(fillOnce(Integer.MAX_VALUE).ofMachines()).isZero();
  }

  /** Fills until {@code most} machines are done. */
  private IndexFill.Progress fillOnce(int most) {
    ExtentFiles files = new LinuxExtentFiles(false);
    AtomicReference<IndexFill> running = new AtomicReference<>();
    try (RocksStore store = RocksStore.open(temp.resolve("index"));
        BufferPool pool = new BufferPool("test", Side.REPOSITORY, 1 << 20)) {
      PointCatalogue catalogue =
          new PointCatalogue(store.catalogue(), store.index(), new ExtentLayout(temp), files, pool);
      IndexFill fill =
          new IndexFill(
              catalogue, store.index(), files, () -> running.get().progress().machines() >= most);
      running.set(fill);
      fill.run();
      return fill.progress();
    }
  }
}
