package dev.mover.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.point.Removal;
import dev.mover.api.point.RemovalMode;
import dev.mover.api.point.RestorePoint;
import dev.mover.api.point.Retention;
import dev.mover.api.point.Verdict.Outcome;
import dev.mover.repository.extent.ExtentLayout;
import dev.mover.testkit.LoopMount.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Points are deleted on each file system a repository meets, and everything else stays. */
@ParameterizedClass
@EnumSource(Kind.class)
class RemovalTest extends DeletablePoints {
  RemovalTest(Kind kind) {
    super(kind);
  }

  private List<String> names() throws IOException {
    Path folder = directory.resolve("machines/web");
    if (!Files.exists(folder)) {
      return List.of();
    }
    try (Stream<Path> paths = Files.list(folder)) {
      return paths.map(p -> p.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void deletesPointsAndLeavesTheOthersWhole() throws IOException {
    backUpWeb(6);
    backup("db", Content.disk(12 * SIZE.bytes(), 7));
    assertThat(delete(1).only().sequences()).containsExactly(1L);
    assertWhole();
    delete(4);
    delete(2);
    assertWhole();
    assertThat(repository().status().points()).isEqualTo(4);
    open();
    assertWhole();
    assertThat(names().stream().filter(n -> n.endsWith(".unlisted"))).isEmpty();
    assertThat(names()).hasSizeBetween(3, kind.clones() ? 3 : 6);
    backUpWeb(8); // goes on linking to what is left
    assertWhole();
    assertThat(delete(0).points()).isEqualTo(11);
    assertThat(web).isEmpty();
    assertThat(directory.resolve("machines/web")).doesNotExist();
    assertThat(sequences("db")).containsExactly(1L);
    assertWhole();
    assertCode(ErrorCode.NO_SUCH_POINT, () -> delete(0));
  }

  @Test
  void whatADryRunSaysComesBack() {
    byte[] disk = incompressible(120);
    backup("web", disk);
    System.arraycopy(incompressible(30), 0, disk, 0, 30 * SIZE.bytes());
    backup("web", disk);
    backup("web", disk);
    for (long sequence : new long[] {2, 1, 3}) {
      Removal plan = ScriptedRemoval.planned(repository().links(), "web", sequence).only();
      assertThat(plan.sequences()).containsExactly(sequence);
      assertThat(sequences("web")).contains(sequence);
      assertThat(plan.atLeastBytes()).isLessThanOrEqualTo(plan.atMostBytes());
      long exact = ScriptedRemoval.exactBytes(repository().links(), "web", sequence);
      assertThat(exact).isBetween(plan.atLeastBytes(), plan.atMostBytes());
      long freed = delete(sequence).freedBytes();
      long slack = 2 << 20; // folders, logs and trees of the file system itself, and RocksDB's log
      assertThat(freed).isBetween(exact - slack, exact + slack);
      if (sequence == 1) { // of which the other two have 90 blocks
        assertThat(freed).isBetween(29L * SIZE.bytes(), 32L * SIZE.bytes());
      }
      if (sequence == 3) {
        assertThat(freed).isGreaterThan(119L * SIZE.bytes());
      }
    }
  }

  @Test
  void whatMachinesShareComesBackWithTheLastOfThem() {
    byte[] disk = incompressible(60);
    backup("web", disk);
    backup("db", disk);
    System.arraycopy(incompressible(20), 0, disk, 0, 20 * SIZE.bytes());
    backup("web", disk);
    backup("db", disk);
    Retention keep = new Retention(1, 0, 0, 0, 0);
    long slack = 2 << 20;
    long exact = ScriptedRemoval.exactBytes(repository().links(), keep);
    assertThat(exact).isBetween(20L * SIZE.bytes(), (kind.clones() ? 21L : 41L) * SIZE.bytes());
    long ofOne = ScriptedRemoval.exactBytes(repository().links(), "web", 1);
    assertThat(ofOne).isLessThan((kind.clones() ? 1L : 21L) * SIZE.bytes());
    long freed =
        ScriptedRemoval.retain(repository().links(), "", keep, RemovalMode.DELETE).freedBytes();
    assertThat(freed).isBetween(exact - slack, exact + slack);
  }

  private static byte[] incompressible(int blocks) {
    byte[] bytes = new byte[blocks * SIZE.bytes()];
    new SplittableRandom(blocks).nextBytes(bytes);
    return bytes;
  }

  @Test
  void aNumberIsNotGivenTwice() {
    backUpWeb(4);
    delete(4);
    delete(2);
    open();
    delete(3);
    backUpWeb(1);
    assertThat(sequences("web")).containsExactly(1L, 5L);
    assertWhole();
    delete(0); // the machine goes, and its numbers
    backUpWeb(1);
    assertThat(sequences("web")).containsExactly(1L);
  }

  @Test
  void aDryRunNeedsNoWriter() {
    backUpWeb(3);
    try (Repository beside = Repository.openReadOnly(directory)) {
      assertThat(ScriptedRemoval.planned(beside.links(), "web", 0).only().sequences()).hasSize(3);
      assertCode(
          ErrorCode.REPOSITORY_READ_ONLY, () -> ScriptedRemoval.delete(beside.links(), "web", 0));
    }
    assertWhole();
  }

  @Test
  void deletesWhereNotAByteIsLeft() throws IOException {
    backUpWeb(30);
    List<Path> ballast = Ballast.fill(mount.folder());
    ballast.addAll(Ballast.names(directory.resolve("machines/web")));
    delete(1);
    assertWhole();
    for (long sequence = 3; sequence < 30; sequence += 2) {
      delete(sequence);
    }
    assertWhole();
    ballast.addAll(Ballast.fill(mount.folder()));
    open(); // with neither index nor catalogue
    delete(2);
    delete(30);
    assertWhole();
    Files.delete(ballast.removeFirst()); // the spare room that a backup must find
    backup("web", Objects.requireNonNull(web.get(28L)));
    assertWhole();
    for (Path file : ballast) {
      Files.deleteIfExists(file);
    }
    open();
    assertWhole();
  }

  @Test
  void aPointIsNotPulledAwayUnderItsReader() {
    backUpWeb(3);
    try (ScriptedReader reader = new ScriptedReader(repository().links());
        Repository beside = Repository.openReadOnly(directory);
        ScriptedReader another = new ScriptedReader(beside.links())) {
      RestorePoint point = reader.read("web", 1);
      RestorePoint same = another.read("web", 1);
      byte[] first = Objects.requireNonNull(web.get(1L));
      if (kind.clones()) {
        delete(1);
      } else {
        assertCode(ErrorCode.MACHINE_BUSY, () -> delete(1));
      }
      delete(2);
      byte[] out = new byte[first.length];
      reader.get(point, 0, reader.map(point, 0), out);
      assertThat(out).isEqualTo(first);
      byte[] again = new byte[first.length];
      another.get(same, 0, another.map(same, 0), again);
      assertThat(again).isEqualTo(first);
    }
    assertWhole();
    if (!kind.clones()) {
      delete(1);
    }
    assertWhole();
  }

  @Test
  void aBackupThatRunsIsNotDisturbed() {
    backUpWeb(3);
    byte[] next = Objects.requireNonNull(web.get(3L)).clone();
    next[3] ^= 1;
    try (ScriptedProxy session = new ScriptedProxy(repository().links(), SIZE)) {
      session.open("web", Map.of("system", next));
      session.begin(0);
      if (kind.clones()) {
        delete(0);
      } else {
        assertCode(ErrorCode.MACHINE_BUSY, () -> delete(0));
      }
      session.stream(0);
      web.put(session.commit().sequence(), next);
    }
    assertWhole();
  }

  /** Every single step of a removal is the last one once. */
  @Test
  void aRemovalThatIsCutOffLeavesEveryOtherPointWholeAndIsFinishedLater() throws IOException {
    backUpWeb(6);
    delete(1); // so that there is a deleted file to go on with
    boolean failed = true;
    int steps = 0;
    for (int n = 0; failed; n++) {
      steps = n;
      backUpWeb(2);
      List<Long> all = sequences("web");
      long doomed = all.get(all.size() / 2);
      files.changes.set(0);
      files.failFrom.set(n);
      try {
        ScriptedRemoval.delete(repository().links(), "web", doomed);
        failed = false;
      } catch (MoverException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.REPOSITORY_WRITE_FAILED);
      }
      files.failFrom.set(Long.MAX_VALUE);
      open();
      if (!sequences("web").contains(doomed)) {
        web.remove(doomed);
      }
      assertWhole();
      ScriptedProxy.poll("end of the removal", () -> !isUnfinished());
    }
    assertThat(steps).isGreaterThan(kind.clones() ? 1 : 5);
    assertWhole();
  }

  private boolean isUnfinished() {
    try {
      return names().stream().anyMatch(n -> n.endsWith(".unlisted"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void deletingAMachineTakesWhatDeadSessionsLeft() throws IOException {
    backUpWeb(1);
    try (ScriptedProxy session = new ScriptedProxy(repository().links(), SIZE)) {
      session.open("web", Map.of("system", Content.disk(SIZE.bytes(), 4)));
      session.begin(0);
      session.stream(0);
    }
    ScriptedProxy.poll("end of the session", () -> repository().sessions().isEmpty());
    assertThat(names()).hasSize(2);
    delete(0);
    assertThat(directory.resolve("machines/web")).doesNotExist();
    backUpWeb(2);
    assertWhole();
  }

  @Test
  void takesWhatCutOffHealingsLeftButNotFromASession() throws IOException {
    backUpWeb(3);
    Path left = ExtentLayout.healing(point(2));
    Files.copy(point(2), left);
    try (ScriptedProxy session = new ScriptedProxy(repository().links(), SIZE)) {
      session.open("web", Map.of("system", Content.disk(SIZE.bytes(), 4)));
      if (kind.clones()) {
        delete(1);
      } else {
        assertCode(ErrorCode.MACHINE_BUSY, () -> delete(1));
      }
      assertThat(left).exists();
    }
    ScriptedProxy.poll("end of the session", () -> repository().sessions().isEmpty());
    delete(3);
    assertThat(left).doesNotExist();
    assertWhole();
    Files.copy(point(2), left);
    delete(0);
    assertThat(directory.resolve("machines/web")).doesNotExist();
  }

  @Test
  void aPointThatWasHealedIsDeletedLikeAnyOther() throws IOException {
    backUpWeb(4);
    mount.rot(point(2), StoredSlots.own(point(2)).getLast().offset(), 300);
    assertThat(ScriptedReader.verify(repository().links(), "web", true))
        .anyMatch(v -> v.outcome() == Outcome.DAMAGED);
    backup("web", Objects.requireNonNull(web.get(2L)));
    assertWhole();
    delete(2);
    assertWhole();
    delete(1);
    delete(5);
    assertWhole();
    backUpWeb(2);
    assertWhole();
  }

  private Path point(long sequence) throws IOException {
    return ExtentLayout.files(directory.resolve("machines/web")).stream()
        .filter(file -> file.committed() && file.sequence() == sequence)
        .findFirst()
        .orElseThrow()
        .path();
  }

  @Test
  void otherMachinesGoOnFindingBlocksThatAreLeft() {
    byte[] disk = Content.disk(12 * SIZE.bytes(), 9);
    backup("web", disk);
    backup("web", disk);
    delete(1);
    int sent;
    try (ScriptedProxy session = new ScriptedProxy(repository().links(), SIZE)) {
      session.run("db", Map.of("system", disk));
      sent = session.sentBlocks;
    }
    assertThat(sent).isEqualTo(kind.clones() ? 0 : 12);
    assertWhole();
  }
}
