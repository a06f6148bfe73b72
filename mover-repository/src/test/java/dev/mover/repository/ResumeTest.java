package dev.mover.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.block.DiskDigest;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.point.DiskSpec;
import dev.mover.api.point.Name;
import dev.mover.repository.session.AwayTimes;
import dev.mover.repository.session.SessionStatus;
import dev.mover.testkit.MovingClock;
import dev.mover.transport.frame.BeginDisk;
import dev.mover.transport.frame.BulkHeader;
import dev.mover.transport.frame.Commit;
import dev.mover.transport.frame.Committed;
import dev.mover.transport.frame.EndDisk;
import dev.mover.transport.frame.Granted;
import dev.mover.transport.frame.Open;
import dev.mover.transport.frame.Opened;
import dev.mover.transport.link.BulkReceiver;
import dev.mover.transport.link.FrameLink;
import dev.mover.transport.link.LinkServer;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a session is after its link was lost, and what it does for whoever comes back. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ResumeTest {
  private static final BlockSize SIZE = BlockSize.KIB_256;
  private static final int BLOCKS = 8;
  private static final byte[] DISK = Content.disk(BLOCKS * SIZE.bytes(), 1);
  private static final Duration LONG = Duration.ofMinutes(30);

  @TempDir Path temp;
  private @Nullable Repository opened;
  private final FaultyFiles files = new FaultyFiles();

  private Repository open(Duration lendAfter, Duration endAfter) {
    return open(lendAfter, endAfter, Duration.ofSeconds(5));
  }

  private Repository open(Duration lendAfter, Duration endAfter, Duration checkpointEvery) {
    return open(
        RepositoryTimes.DEFAULT
            .withCheckpointEvery(checkpointEvery)
            .withAway(new AwayTimes(lendAfter, endAfter)));
  }

  private Repository open(RepositoryTimes times) {
    Repository now =
        Repository.open(
            temp, RepositoryOptions.DEFAULT.withMaxConcurrentTasks(1), files::over, times);
    opened = now;
    return now;
  }

  private Repository repository() {
    return Objects.requireNonNull(opened);
  }

  private ScriptedProxy proxy() {
    return new ScriptedProxy(repository().links(), SIZE);
  }

  @AfterEach
  void close() {
    repository().close();
    assertThat(repository().leasedBytes()).isZero();
    assertThat(repository().status().sessions()).isZero();
    assertThat(repository().status().runningTasks()).isZero();
  }

  private static List<BlockId> ids(ScriptedProxy proxy) {
    return LongStream.range(0, BLOCKS).mapToObj(block -> proxy.id(0, block)).toList();
  }

  /** Ends disk 0, all of whose blocks are stored, and commits. */
  private static Committed finish(ScriptedProxy proxy) {
    DiskDigest digest = new DiskDigest(DISK.length, SIZE);
    ids(proxy).forEach(digest::addBlock);
    proxy.send(new EndDisk(0, digest.finish()));
    return proxy.commit();
  }

  private void sendAll(ScriptedProxy proxy, BitSet wanted) {
    wanted.stream().forEach(block -> proxy.sendBlock(0, block));
    proxy.await("ACKs", () -> proxy.acked >= wanted.cardinality());
  }

  private void assertRestores() {
    assertThat(ScriptedReader.restore(repository().links(), "web", 1, 0)).isEqualTo(DISK);
    assertThat(repository().points("web", "", 0, 9)).hasSize(1);
  }

  @Test
  void aRepeatedOfferIsAnsweredWithWhatDidNotCome() {
    open(LONG, LONG);
    Opened before;
    try (ScriptedProxy lost = proxy();
        ScriptedProxy back = proxy()) {
      before = lost.open("web", Map.of("system", DISK));
      lost.begin(0);
      lost.offer(0, 0, ids(lost));
      lost.sendBlock(0, 3);
      lost.await("ACK", () -> lost.acked == 1);
      lost.link.abandon();
      back.resume(lost, "web");
      assertThat(back.expect(Opened.class)).isEqualTo(before);
      BitSet wanted = back.offer(0, 0, ids(back));
      assertThat(wanted.cardinality()).isEqualTo(BLOCKS - 1);
      assertThat(wanted.get(3)).isFalse();
      sendAll(back, wanted);
      finish(back);
    }
    assertRestores();
  }

  @Test
  void creditIsNeitherLostNorDoubled() {
    open(LONG, LONG);
    ScriptedProxy now = proxy();
    try {
      now.open("web", Map.of("system", DISK));
      long all = now.begin(0).creditBytes();
      for (int block = 0; block < BLOCKS; block++) {
        now.offer(0, block, List.of(now.id(0, block)));
        now.sendBlock(0, block); // its ACK and credit may be lost, or come before
        ScriptedProxy before = now;
        now.link.abandon();
        now = proxy();
        now.resume(before, "web");
        now.expect(Opened.class);
        ScriptedProxy here = now;
        now.await("all credit", () -> here.credit == all);
        assertThat(now.offer(0, block, List.of(now.id(0, block))).isEmpty()).isTrue();
      }
      finish(now);
    } finally {
      now.close();
    }
    assertRestores();
  }

  @Test
  void aHalfOpenLinkGivesWayToTheNewOne() {
    open(LONG, LONG);
    try (ScriptedProxy silent = proxy();
        ScriptedProxy back = proxy()) {
      silent.open("web", Map.of("system", DISK));
      silent.begin(0);
      silent.offer(0, 0, ids(silent));
      back.resume(silent, "web");
      back.expect(Opened.class);
      assertThat(silent.expectError().code()).isEqualTo(ErrorCode.LINK_LOST);
      sendAll(back, back.offer(0, 0, ids(back)));
      finish(back);
    }
    assertRestores();
  }

  @Test
  void aLinkThatComesBackAndEndsAtOnceLeavesNoSessionBehindThatNobodyCanReplace() {
    open(LONG, LONG);
    try (ScriptedProxy lost = proxy();
        ScriptedProxy back = proxy();
        ScriptedProxy next = proxy()) {
      lost.open("web", Map.of("system", DISK));
      lost.begin(0);
      lost.link.abandon();
      back.resume(lost, "web");
      back.link.close();
      next.run("web", Map.of("system", DISK));
    }
    assertRestores();
  }

  @Test
  void anOpenWhoseAnswerWasLostIsAnsweredAgain() {
    open(LONG, LONG);
    Open frame =
        new Open(
            java.util.UUID.randomUUID(),
            new Name("web"),
            SIZE,
            List.of(new DiskSpec(new Name("system"), DISK.length, 512)));
    try (ScriptedProxy lost = proxy();
        ScriptedProxy back = proxy()) {
      lost.send(frame);
      Opened first = lost.expect(Opened.class);
      lost.link.abandon();
      back.send(frame);
      assertThat(back.expect(Opened.class)).isEqualTo(first);
    }
  }

  @Test
  void aSlotIsLentAndAskedForAgain() {
    open(Duration.ofMillis(20), LONG);
    try (ScriptedProxy lost = proxy();
        ScriptedProxy other = proxy();
        ScriptedProxy back = proxy()) {
      lost.open("web", Map.of("system", DISK));
      lost.begin(0);
      lost.offer(0, 0, ids(lost));
      lost.sendBlock(0, 0);
      lost.link.abandon();
      other.open("db", Map.of("system", DISK));
      other.begin(0); // there is only one slot
      back.resume(lost, "web");
      back.expect(Opened.class);
      back.awaitPlace("1 waiting for a repository slot, 1st of 1; 1 of 1 in use by db");
      assertThat(back.credit).isZero();
      BitSet wanted = back.offer(0, 0, ids(back));
      assertThat(wanted.get(0)).isFalse();
      other.stream(0);
      other.commit();
      assertThat(back.expect(Granted.class).creditBytes()).isPositive();
      sendAll(back, wanted);
      finish(back);
    }
    assertRestores();
  }

  /** A partial whose first slot is damaged, in place of a disk that lost it. */
  private void leaveDamagedPartial() throws IOException {
    try (ScriptedProxy dead = proxy()) {
      dead.open("web", Map.of("system", DISK));
      dead.begin(0);
      dead.offer(0, 0, ids(dead));
      for (int block = 0; block < BLOCKS; block++) {
        dead.sendBlock(0, block);
        dead.await("CHECKPOINT", () -> dead.checkpoints == dead.sentBlocks);
      }
      dead.link.close();
      ScriptedProxy.poll("end", () -> repository().sessions().isEmpty());
    }
    try (Stream<Path> files = Files.list(temp.resolve("machines").resolve("web"));
        RandomAccessFile partial =
            new RandomAccessFile(files.findFirst().orElseThrow().toFile(), "rw")) {
      partial.seek(4096 + 300);
      int was = partial.read();
      partial.seek(4096 + 300);
      partial.write(was ^ 1);
    }
  }

  private long receiveBytes() {
    return repository().memory().stream()
        .filter(pool -> pool.name().equals("receive"))
        .mapToLong(MemoryStatus::leasedBytes)
        .sum();
  }

  /** What a commit can't link is asked for when the proxy is back; until then memory is others'. */
  @Test
  void whatIsNeededWhileNobodyIsThereHoldsNoMemoryAndIsAskedForLater() throws IOException {
    open(Duration.ofMillis(20), LONG, Duration.ZERO);
    leaveDamagedPartial();
    files.clonesFail.set(true);
    try (ScriptedProxy lost = proxy();
        ScriptedProxy other = proxy();
        ScriptedProxy back = proxy()) {
      other.open("db", Map.of("system", DISK));
      lost.open("web", Map.of("system", DISK));
      lost.begin(0);
      assertThat(lost.offer(0, 0, ids(lost)).isEmpty()).isTrue();
      DiskDigest digest = new DiskDigest(DISK.length, SIZE);
      ids(lost).forEach(digest::addBlock);
      lost.send(new EndDisk(0, digest.finish()));
      CountDownLatch gate = new CountDownLatch(1);
      files.holdWrites(gate);
      lost.send(new Commit(lost.sessionId));
      ScriptedProxy.poll("commit", () -> state("web").equals("committing"));
      other.begin(0); // with the memory of the one that commits, which waits for it then
      gate.countDown();
      lost.link.abandon();
      long lostNs = System.nanoTime();
      ScriptedProxy.poll("lending", () -> System.nanoTime() - lostNs > 300_000_000L);
      other.link.close();
      ScriptedProxy.poll("NEED", () -> state("web").equals("away"));
      ScriptedProxy.poll("memory", () -> receiveBytes() == 0);

      back.resume(lost, "web");
      back.expect(Opened.class);
      back.commit();
      assertThat(back.sentBlocks).isOne();
    }
    assertRestores();
  }

  private String state(String machine) {
    return repository().sessions().stream()
        .filter(session -> session.machine().equals(machine))
        .map(SessionStatus::state)
        .findFirst()
        .orElse("");
  }

  @Test
  void aProxyThatNeverComesBackIsNotWaitedForForEver() {
    open(Duration.ofMillis(10), Duration.ofMillis(50));
    try (ScriptedProxy lost = proxy();
        ScriptedProxy late = proxy();
        ScriptedProxy next = proxy()) {
      lost.open("web", Map.of("system", DISK));
      lost.begin(0);
      lost.offer(0, 0, ids(lost));
      lost.sendBlock(0, 0);
      lost.await("ACK", () -> lost.acked == 1);
      lost.link.abandon();
      ScriptedProxy.poll("end of the session", () -> repository().status().sessions() == 0);
      late.resume(lost, "web");
      MoverException error = late.expectError();
      assertThat(error.code()).isEqualTo(ErrorCode.SESSION_LOST);
      assertThat(error.getMessage()).contains("web", "did not come back", "run the backup again");
      next.run("web", Map.of("system", DISK));
    }
    assertRestores();
  }

  /** Its link holds, and its machine's disk hangs, say. */
  @Test
  void aProxyThatHoldsASlotAndSaysNothingIsEnded() {
    open(RepositoryTimes.DEFAULT.withAway(new AwayTimes(LONG, LONG, Duration.ofMillis(300))));
    try (ScriptedProxy silent = proxy();
        ScriptedProxy waiting = proxy()) {
      silent.open("web", Map.of("system", DISK));
      silent.begin(0);
      waiting.open("db", Map.of("system", DISK));
      waiting.send(new BeginDisk(0));
      silent.offer(0, 0, ids(silent));
      silent.sendBlock(0, 0);
      MoverException error = silent.expectError();
      assertThat(error.code()).isEqualTo(ErrorCode.DEADLINE_PASSED);
      assertThat(error.getMessage()).contains("web", "sent nothing", "run the backup again");
      waiting.expect(Granted.class); // it waited longer, and for its turn
    }
  }

  @Test
  void aNewSessionOfARestartedProxyTakesOver() {
    open(LONG, LONG);
    try (ScriptedProxy lost = proxy();
        ScriptedProxy late = proxy();
        ScriptedProxy restarted = proxy()) {
      lost.open("web", Map.of("system", DISK));
      lost.begin(0);
      lost.link.abandon();
      restarted.run("web", Map.of("system", DISK));
      late.resume(lost, "web");
      MoverException error = late.expectError();
      assertThat(error.code()).isEqualTo(ErrorCode.SESSION_LOST);
      assertThat(error.getMessage()).contains("newer session");
    }
    assertRestores();
  }

  /** Another host is not the one that was restarted, and the session's slots may be asked for. */
  @Test
  void anotherHostTakesOverOnlyWhenTheSlotsAreLent() {
    MovingClock clock = new MovingClock();
    open(RepositoryTimes.DEFAULT.withAway(new AwayTimes(LONG, LONG)).withClock(clock));
    LinkServer alpha = from("10.0.0.1");
    LinkServer beta = from("10.0.0.2");
    try (ScriptedProxy lost = new ScriptedProxy(alpha, SIZE);
        ScriptedProxy early = new ScriptedProxy(beta, SIZE);
        ScriptedProxy late = new ScriptedProxy(beta, SIZE)) {
      lost.open("web", Map.of("system", DISK));
      lost.begin(0);
      lost.link.abandon();
      early.askToOpen("web", Map.of("system", DISK));
      MoverException error = early.expectError();
      assertThat(error.code()).isEqualTo(ErrorCode.MACHINE_BUSY);
      assertThat(error.getMessage()).contains("web", "10.0.0.1", "lost its link", "elsewhere from");
      clock.move(LONG);
      late.run("web", Map.of("system", DISK));
    }
    assertRestores();
  }

  /** The repository, as it is for the proxy of a host. */
  private LinkServer from(String host) {
    String peer = host + ":4711";
    LinkServer links = repository().links();
    return _ -> {
      LinkServer.Session session = links.accept(peer);
      return new LinkServer.Session() {
        @Override
        public BulkReceiver receiver() {
          return session.receiver();
        }

        @Override
        public void start(FrameLink link) {
          session.start(named(peer, link));
        }
      };
    };
  }

  private static FrameLink named(String peer, FrameLink link) {
    return (FrameLink)
        Proxy.newProxyInstance(
            FrameLink.class.getClassLoader(),
            new Class<?>[] {FrameLink.class},
            (_, method, args) ->
                method.getName().equals("peer") ? peer : method.invoke(link, args));
  }

  /** A proxy that is killed and started again may ask before the end of its old link is seen. */
  @Test
  void aRestartedProxyThatAsksBeforeTheLossIsSeenTakesOver() {
    open(LONG, LONG);
    try (ScriptedProxy lost = proxy();
        ScriptedProxy restarted = proxy()) {
      lost.open("web", Map.of("system", DISK));
      lost.begin(0);
      restarted.askToOpen("web", Map.of("system", DISK));
      long asked = System.nanoTime();
      ScriptedProxy.poll("look", () -> System.nanoTime() - asked > 300_000_000L); // it waits now
      lost.link.abandon();
      restarted.expect(Opened.class);
    }
  }

  @Test
  void whatWasCommittedIsToldAgainAlsoAfterARestart() {
    open(LONG, LONG);
    try (ScriptedProxy done = proxy();
        ScriptedProxy back = proxy()) {
      Committed first = done.run("web", Map.of("system", DISK));
      back.resume(done, "web");
      assertThat(back.expect(Committed.class)).isEqualTo(first);
      repository().close();
      open(LONG, LONG);
      try (ScriptedProxy later = proxy()) {
        later.resume(done, "web");
        assertThat(later.expect(Committed.class).fileId()).isEqualTo(first.fileId());
      }
    }
    assertRestores();
  }

  @Test
  void aSessionThatDiedWithTheRepositoryIsNotContinued() {
    open(LONG, LONG);
    try (ScriptedProxy lost = proxy()) {
      lost.open("web", Map.of("system", DISK));
      lost.begin(0);
      lost.offer(0, 0, ids(lost));
      lost.sendBlock(0, 0);
      lost.await("ACK", () -> lost.acked == 1);
      lost.link.abandon();
      repository().close();
      open(LONG, LONG);
      try (ScriptedProxy back = proxy()) {
        back.resume(lost, "web");
        MoverException error = back.expectError();
        assertThat(error.code()).isEqualTo(ErrorCode.SESSION_LOST);
        assertThat(error.getMessage()).contains("web", "restarted", "run the backup again");
      }
    }
  }

  @Test
  void stepsAreRepeatedOnlyAfterALoss() {
    open(LONG, LONG);
    try (ScriptedProxy lost = proxy();
        ScriptedProxy back = proxy()) {
      lost.open("web", Map.of("system", DISK));
      lost.begin(0);
      lost.link.abandon();
      back.resume(lost, "web");
      back.expect(Opened.class);
      back.send(new BeginDisk(0));
      assertThat(back.expect(Granted.class).creditBytes()).isZero();
      assertThat(back.credit).isGreaterThanOrEqualTo(2 * BulkHeader.cost(SIZE));
      sendAll(back, back.offer(0, 0, ids(back)));
      assertThat(back.sentBlocks).isEqualTo(BLOCKS);
      back.send(new dev.mover.transport.frame.Zero(0, 0, 1));
      assertThat(back.expectError().code()).isEqualTo(ErrorCode.PROTOCOL_VIOLATION);
    }
  }
}
