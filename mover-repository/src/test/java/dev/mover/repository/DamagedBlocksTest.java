package dev.mover.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.DiskDigest;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.point.RestorePoint;
import dev.mover.api.point.Verdict.Outcome;
import dev.mover.testkit.LoopMount.Kind;
import dev.mover.transport.frame.EndDisk;
import dev.mover.transport.frame.Same;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Damage on disk, once found, goes into no later point; with file systems that clone and not. */
class DamagedBlocksTest extends OnRealFileSystems {
  private void damageFirstBlockOf(String machine) throws IOException {
    SessionContract.damage(point(machine, 1), slotOffset(machine, 1) + 300);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void itsOwnMachineStoresADamagedBlockAgain(Kind kind) throws IOException {
    open(kind);
    backup("web");
    damageFirstBlockOf("web");
    assertThat(verify("web")).containsExactly(Outcome.DAMAGED);
    assertThat(backup("web")).isEqualTo(1);
    assertRestores("web", 2);
    assertThat(backup("web")).as("the point before is good for it").isZero();
    assertThat(verify("web")).containsOnly(Outcome.SOUND).hasSize(3);
    assertThat(backup("web")).as("the old damage was seen again").isZero();
    assertRestores("web", 4);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void otherMachinesStoreItAgainAndHealTheFirst(Kind kind) throws IOException {
    open(kind);
    backup("web");
    damageFirstBlockOf("web");
    verify("");
    assertThat(backup("db")).isEqualTo(kind.clones() ? 1 : BLOCKS);
    assertThat(verify("db")).containsExactly(Outcome.SOUND);
    assertRestores("db", 1);
    assertThat(backup("web")).isEqualTo(kind.clones() ? 0 : 1);
    assertThat(verify("web")).containsExactly(Outcome.SOUND, Outcome.SOUND);
    assertRestores("web", 2);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void whatIsKnownOutlivesARestartAndTheIndex(Kind kind) throws IOException {
    open(kind);
    backup("web");
    damageFirstBlockOf("web");
    verify("");
    reopen();
    closeRepository();
    SessionContract.removeTree(directory.resolve("index"));
    reopen();
    assertThat(backup("web")).isEqualTo(1);
    reopen();
    assertThat(backup("web")).as("a point made since is good after a restart").isZero();
    assertThat(verify("web")).containsOnly(Outcome.SOUND).hasSize(3);
    assertRestores("web", 3);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aFreshCopyThatIsDamagedTooIsStoredAgain(Kind kind) throws IOException {
    open(kind);
    backup("web");
    damageFirstBlockOf("web");
    verify("");
    backup("web");
    SessionContract.damage(point("web", 2), slotOffset("web", 2) + 300);
    assertThat(verify("web")).containsExactly(Outcome.SOUND, Outcome.DAMAGED);
    assertThat(backup("web")).isEqualTo(1);
    assertThat(verify("web")).endsWith(Outcome.SOUND);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aRestoreFindsDamageToo(Kind kind) throws IOException {
    open(kind);
    backup("web");
    damageFirstBlockOf("web");
    try (ScriptedReader reader = new ScriptedReader(repository().links())) {
      RestorePoint point = reader.read("web", 1);
      @Nullable BlockId[] map = reader.map(point, 0);
      assertThat(reader.get(point, 0, map, new byte[disk.length]).unreadable()).isEqualTo(1);
    }
    assertThat(backup("web")).isEqualTo(1);
    assertThat(verify("web")).endsWith(Outcome.SOUND);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aVerificationBesideTheWriterTellsIt(Kind kind) throws IOException {
    open(kind);
    backup("web");
    damageFirstBlockOf("web");
    try (Repository beside = Repository.openReadOnly(directory)) {
      assertThat(ScriptedReader.verify(beside.links(), "", true)).hasSize(1);
    }
    assertThat(backup("web")).isEqualTo(1);
    assertThat(verify("web")).containsExactly(Outcome.SOUND, Outcome.SOUND);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aReadThatFailsOnceIsNoDamage(Kind kind) throws IOException {
    open(kind);
    backup("web");
    files.failReads(4096, 1);
    assertThat(verify("web")).containsExactly(Outcome.SOUND);
    files.assertReadsFailed();
    files.failReads(4096, 1);
    assertRestores("web", 1);
    files.assertReadsFailed();
    assertThat(backup("web")).isZero();
    assertThat(Files.size(directory.resolve("damaged"))).isZero();
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aBlockThatCanNeverBeReadIsStoredAgain(Kind kind) throws IOException {
    open(kind);
    backup("web");
    files.failReads(4096, 2);
    assertThat(verify("web")).containsExactly(Outcome.DAMAGED);
    files.assertReadsFailed();
    assertThat(backup("web")).isEqualTo(1);
    assertThat(verify("web")).endsWith(Outcome.SOUND);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void sameRangesWithDamageAreAskedForAtTheEnd(Kind kind) throws IOException {
    open(kind);
    backup("web");
    damageFirstBlockOf("web");
    verify("");
    try (ScriptedProxy proxy = new ScriptedProxy(repository().links(), SIZE)) {
      proxy.open("web", Map.of("system", disk));
      proxy.begin(0);
      proxy.send(new Same(0, 0, BLOCKS));
      proxy.send(new EndDisk(0, digest(proxy)));
      proxy.commit();
      assertThat(proxy.sentBlocks).isEqualTo(1);
    }
    assertThat(verify("web")).containsExactly(Outcome.SOUND, Outcome.SOUND);
    assertRestores("web", 2);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void damageFoundBetweenAnswerAndCommitIsAskedFor(Kind kind) throws IOException {
    open(kind);
    backup("web");
    try (ScriptedProxy proxy = new ScriptedProxy(repository().links(), SIZE)) {
      proxy.open("web", Map.of("system", disk));
      proxy.begin(0);
      proxy.stream(0);
      assertThat(proxy.sentBlocks).isZero();
      damageFirstBlockOf("web");
      verify("");
      proxy.commit();
      assertThat(proxy.sentBlocks).isEqualTo(1);
    }
    assertThat(verify("web")).containsExactly(Outcome.DAMAGED, Outcome.SOUND);
    assertRestores("web", 2);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aSourceThatChangedSinceIsCalledThat(Kind kind) throws IOException {
    open(kind);
    backup("web");
    byte[] changing = disk.clone();
    try (ScriptedProxy proxy = new ScriptedProxy(repository().links(), SIZE)) {
      proxy.open("web", Map.of("system", changing));
      proxy.begin(0);
      proxy.stream(0);
      damageFirstBlockOf("web");
      verify("");
      changing[17] ^= 1;
      assertThat(failure(proxy::commit)).isEqualTo(ErrorCode.SOURCE_CHANGED);
    }
    assertThat(backup("web")).isEqualTo(1);
    assertThat(verify("web")).endsWith(Outcome.SOUND);
  }

  private static @Nullable ErrorCode failure(Runnable step) {
    try {
      step.run();
      return null;
    } catch (dev.mover.api.error.MoverException e) {
      return e.code();
    }
  }

  private BlockId digest(ScriptedProxy proxy) {
    DiskDigest digest = new DiskDigest(disk.length, SIZE);
    List<BlockId> ids = new ArrayList<>();
    for (int block = 0; block < BLOCKS; block++) {
      ids.add(proxy.id(0, block));
    }
    ids.forEach(digest::addBlock);
    return digest.finish();
  }
}
