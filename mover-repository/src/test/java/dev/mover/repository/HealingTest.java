package dev.mover.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.error.MoverException;
import dev.mover.api.point.RestorePoint;
import dev.mover.api.point.Verdict.Outcome;
import dev.mover.testkit.LoopMount.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rot on the device, and what the next backup makes of it. */
class HealingTest extends OnRealFileSystems {
  /** More than a healing changes: a few writes, two syncs, the exchange, the removal. */
  private static final int STEPS = 24;

  private byte[] restored(long sequence) {
    return ScriptedReader.restore(repository().links(), "web", sequence, 0);
  }

  private List<String> leftovers(String machine) throws IOException {
    try (Stream<Path> all = Files.list(directory.resolve("machines").resolve(machine))) {
      return all.map(p -> p.getFileName().toString()).filter(n -> !n.endsWith(".mbf")).toList();
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void theNextBackupHealsEveryOlderPoint(Kind kind) throws IOException {
    open(kind);
    backup("web");
    byte[] first = disk.clone();
    disk[5 * SIZE.bytes()] ^= 1;
    backup("web");
    rotFirstSlotOf("web", 1);
    assertThat(verify("web")).containsExactly(Outcome.DAMAGED, Outcome.DAMAGED);
    List<RestorePoint> before = ScriptedReader.points(repository().links(), "web");

    assertThat(backup("web")).isEqualTo(1);
    assertThat(verify("web")).containsOnly(Outcome.SOUND).hasSize(3);
    assertThat(restored(1)).isEqualTo(first);
    assertThat(restored(2)).isEqualTo(disk);
    assertThat(leftovers("web")).isEmpty();
    List<RestorePoint> after = ScriptedReader.points(repository().links(), "web");
    for (int i = 0; i < 2; i++) {
      assertThat(after.get(i).fileId()).isEqualTo(before.get(i).fileId());
      assertThat(after.get(i).createdAt()).isEqualTo(before.get(i).createdAt());
      assertThat(after.get(i).disks()).isEqualTo(before.get(i).disks());
    }

    reopen();
    assertThat(verify("web")).containsOnly(Outcome.SOUND).hasSize(3);
    assertThat(backup("web")).isZero();
    assertThat(restored(1)).isEqualTo(first);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void whatTheSourceHasNoMoreStaysAndIsReportedUntilItIsBack(Kind kind) throws IOException {
    open(kind);
    backup("web");
    byte[] first = disk.clone();
    rotFirstSlotOf("web", 1);
    verify("web");
    disk[0] ^= 1;
    backup("web");
    assertThat(verify("web")).containsExactly(Outcome.DAMAGED, Outcome.SOUND);
    assertThat(ScriptedReader.look(repository().links(), "web", 1).lines())
        .containsExactly("web 1 system 0 " + SIZE.bytes());
    disk[0] ^= 1;
    assertThat(backup("web")).isEqualTo(1);
    assertThat(verify("web")).containsOnly(Outcome.SOUND).hasSize(3);
    assertThat(restored(1)).isEqualTo(first);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void otherMachinesAreHealedByTheirOwnNextBackup(Kind kind) throws IOException {
    open(kind);
    backup("web");
    backup("db");
    rotFirstSlotOf("db", 1);
    verify("");
    backup("web");
    assertThat(verify("web")).containsOnly(Outcome.SOUND);
    assertThat(verify("db")).containsExactly(Outcome.DAMAGED);
    backup("db");
    assertThat(verify("")).containsOnly(Outcome.SOUND).hasSize(4);
    assertRestores("db", 1);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aStopAtAnyStepLeavesTheOldPointOrTheNew(Kind kind) throws IOException {
    open(kind);
    long changes = changesOfABackupAndItsHealing();
    boolean old = false;
    boolean healed = false;
    for (int back = 1; back <= STEPS; back++) {
      String machine = "web" + back;
      backupAndRot(machine, back);
      files.failFrom.set(files.changes.get() + changes - back);
      tryBackup(machine);
      reopen();
      Outcome outcome = verify(machine).getFirst();
      assertThat(outcome).as("%d steps before the end", back).isNotEqualTo(Outcome.RECOVERED);
      healed |= outcome == Outcome.SOUND;
      old |= outcome == Outcome.DAMAGED;
      backup(machine);
      assertThat(verify(machine)).as("%d steps before", back).containsOnly(Outcome.SOUND);
      assertRestores(machine, 1);
      assertThat(leftovers(machine)).isEmpty();
    }
    assertThat(old).as("some were stopped before the exchange").isTrue();
    assertThat(healed).as("some were stopped after it").isTrue();
  }

  private long changesOfABackupAndItsHealing() throws IOException {
    backupAndRot("web", 0);
    long before = files.changes.get();
    backup("web");
    assertThat(verify("web")).containsExactly(Outcome.SOUND, Outcome.SOUND);
    return files.changes.get() - before;
  }

  /** A point whose first block is no other machine's, and is damaged. */
  private void backupAndRot(String machine, int seed) throws IOException {
    Arrays.fill(disk, 0, 64, (byte) (3 + seed));
    backup(machine);
    SessionContract.damage(point(machine, 1), slotOffset(machine, 1) + 300);
    assertThat(verify(machine)).containsExactly(Outcome.DAMAGED);
  }

  private void tryBackup(String machine) {
    try {
      backup(machine);
    } catch (MoverException e) {
      assertThat(e).hasMessageContaining("gone");
    }
  }
}
