package dev.mover.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.block.BlockId;
import dev.mover.api.point.RestorePoint;
import dev.mover.api.point.Verdict.Outcome;
import dev.mover.repository.file.Page;
import dev.mover.repository.serve.ScrubStatus;
import dev.mover.testkit.Background;
import dev.mover.testkit.LoopMount.Kind;
import dev.mover.transport.frame.Credit;
import dev.mover.transport.frame.Get;
import dev.mover.transport.frame.Sent;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The background scrub, on real file systems with bits flipped on the device. */
@Timeout(60)
class ScrubTest extends OnRealFileSystems {
  private static final Duration ALL = Duration.ZERO;

  private long round() {
    return repository().scrub().round(ALL);
  }

  private ScrubStatus status() {
    return repository().scrub().status();
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void readsWhatPointsShareOnce(Kind kind) throws IOException {
    open(kind);
    backup("web");
    assertThat(round()).isEqualTo(1);
    long one = status().readBytes();
    backup("web");
    backup("db");
    assertThat(round()).isEqualTo(3);
    long headers = (long) BLOCKS * Page.BYTES;
    long copies = kind.clones() ? 1 : 2; // without cloning machines share nothing
    assertThat(status().readBytes() - one).isLessThanOrEqualTo(copies * one + 2 * headers);
    assertThat(status().damagedPoints()).isZero();
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void readsACopyThatIsNoCloneByItself(Kind kind) throws IOException {
    open(kind);
    backup("web");
    files.clonesFail.set(true);
    backup("zeb");
    rotFirstSlotOf("zeb", 1);
    round();
    assertThat(verify("")).containsExactly(Outcome.SOUND, Outcome.DAMAGED);
    assertThat(status().damagedPoints()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void findsRotInEveryPointThatHasItAndRemembersThat(Kind kind) throws IOException {
    open(kind);
    backup("web");
    backup("web");
    backup("db");
    rotFirstSlotOf("web", 1);
    round();
    assertThat(status().damagedPoints()).isEqualTo(kind.clones() ? 3 : 2);
    assertThat(repository().damagedBlocks()).isEqualTo(1);
    closeRepository();
    SessionContract.removeTree(directory.resolve("index"));
    reopen();
    assertThat(repository().damagedBlocks()).isEqualTo(1);
    assertThat(backup("web")).isEqualTo(1);
    assertRestores("web", 3);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aReadThatFailsOnceIsNoDamage(Kind kind) throws IOException {
    open(kind);
    backup("web");
    files.failReads(4096, 1);
    round();
    files.assertReadsFailed();
    assertThat(status().damagedPoints()).isZero();
    assertThat(repository().damagedBlocks()).isZero();
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void remembersWhenItLookedOverARestart(Kind kind) throws IOException {
    open(kind);
    backup("web");
    assertThat(repository().scrub().round(Duration.ofDays(1))).as("it is new").isZero();
    assertThat(checkedAt()).isEqualTo(Instant.EPOCH);
    round();
    Instant checked = checkedAt();
    assertThat(checked).isAfter(Instant.EPOCH);
    reopen();
    assertThat(checkedAt()).isEqualTo(checked);
    assertThat(repository().scrub().round(Duration.ofDays(1))).isZero();
  }

  private Instant checkedAt() {
    return ScriptedReader.points(repository().links(), "web").getFirst().checkedAt();
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aVerificationOfTheDataCountsAsACheck(Kind kind) throws IOException {
    open(kind);
    backup("web");
    verify("web");
    assertThat(checkedAt()).isAfter(Instant.EPOCH);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void givesWayToARestore(Kind kind) throws IOException {
    open(kind);
    backup("web");
    try (ScriptedReader reader = new ScriptedReader(repository().links())) {
      RestorePoint point = reader.read("web", 1);
      @Nullable BlockId[] map = reader.map(point, 0);
      reader.link().send(new Get(0)); // without credit it stands
      reader.link().send(new Credit(1));
      ScriptedProxy.poll("the restore runs", () -> repository().hasForeground());
      CompletableFuture<Long> round = Background.supply(this::round);
      ScriptedProxy.poll("the scrub yields", () -> status().yields());
      assertThat(status().readBytes()).isZero();
      assertThat(round).isNotDone();
      Sent sent = reader.goOn(point, map, new byte[disk.length]);
      assertThat(sent.unreadable()).isZero();
      assertThat(round.join()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void givesWayToACommit(Kind kind) throws IOException {
    open(kind);
    backup("web");
    try (ScriptedProxy proxy = new ScriptedProxy(repository().links(), SIZE)) {
      proxy.open("web", Map.of("system", disk));
      proxy.begin(0);
      proxy.stream(0);
      CountDownLatch gate = new CountDownLatch(1);
      files.holdWrites(gate);
      CompletableFuture<Void> commit = Background.run(proxy::commit);
      ScriptedProxy.poll("the commit runs", () -> repository().hasForeground());
      CompletableFuture<Long> round = Background.supply(this::round);
      ScriptedProxy.poll("the scrub yields", () -> status().yields());
      assertThat(status().readBytes()).isZero();
      gate.countDown();
      commit.join();
      assertThat(round.join()).isPositive();
    }
  }

  @Test
  void goesOnALittleOnARepositoryThatIsNeverIdle() throws IOException {
    open(Kind.XFS);
    backup("web");
    try (ScriptedReader reader = new ScriptedReader(repository().links())) {
      reader.read("web", 1);
      reader.link().send(new Get(0)); // without credit it stands, and is not at its end
      ScriptedProxy.poll("the restore runs", () -> repository().hasForeground());
      long beganNs = System.nanoTime();
      assertThat(round()).isEqualTo(1);
      assertThat(System.nanoTime() - beganNs).isGreaterThan(1_900_000_000L);
      assertThat(repository().hasForeground()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void givesWayToTheRemovalOfThePointItReads(Kind kind) throws IOException {
    open(kind);
    backup("web");
    backup("web");
    repository().scrub().plan(ALL, 10); // one read, and then nothing for hours
    CompletableFuture<Long> round = Background.supply(this::round);
    ScriptedProxy.poll("a slot was read", () -> status().readBytes() > 0);
    assertThat(status().reading().orElseThrow()).contains("0000000001-");
    assertThat(ScriptedRemoval.delete(repository().links(), "web", 1).points()).isEqualTo(1);
    repository().scrub().plan(ALL, 0);
    assertThat(round.join()).isEqualTo(1);
    assertThat(status().damagedPoints()).isZero();
    assertThat(repository().damagedBlocks()).isZero();
    assertThat(verify("web")).containsExactly(Outcome.SOUND);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void readsNoMoreThanItsBudget(Kind kind) throws IOException {
    open(kind);
    backup("web");
    long bytesPerSec = 2_000_000;
    repository().scrub().plan(ALL, bytesPerSec);
    long beganNs = System.nanoTime();
    round();
    double seconds = (System.nanoTime() - beganNs) / 1e9;
    long burst = Math.max(bytesPerSec / 10, SIZE.bytes());
    assertThat(status().readBytes() - burst).isLessThan((long) (seconds * bytesPerSec));
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void goesRoundByItself(Kind kind) throws IOException {
    open(kind);
    backup("web");
    repository().scrub().plan(Duration.ofMillis(1), 0);
    ScriptedProxy.poll("it was there twice", () -> status().checkedPoints() >= 2);
    assertThat(status().lastRoundAt()).isPresent();
  }
}
