package dev.mover.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.DiskDigest;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.linux.LinuxFile;
import dev.mover.api.point.Name;
import dev.mover.api.point.Partial;
import dev.mover.api.point.Partial.Use;
import dev.mover.dedup.index.BlockPlace;
import dev.mover.dedup.index.rocks.RocksStore;
import dev.mover.testkit.LoopMount.Kind;
import dev.mover.testkit.MovingClock;
import dev.mover.transport.frame.EndDisk;
import dev.mover.transport.frame.ListPartials;
import dev.mover.transport.frame.Opened;
import dev.mover.transport.frame.Partials;
import dev.mover.transport.frame.RemovePartials;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What sessions that have not committed left, where the file system clones and where it can't. */
@ParameterizedClass
@EnumSource(
    value = Kind.class,
    names = {"XFS", "EXT4"})
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PartialsTest extends MountedRepository {
  private static final int BLOCKS = 12;
  private static final byte[] DISK = Content.disk(BLOCKS * SIZE.bytes(), 3);
  private static final Name WEB = new Name("web");

  private final MovingClock clock = new MovingClock();

  PartialsTest(Kind kind) {
    super(kind);
  }

  /** What is acknowledged is durable and indexed. */
  @Override
  RepositoryTimes times() {
    return RepositoryTimes.DEFAULT.withCheckpointEvery(Duration.ZERO).withClock(clock);
  }

  private ScriptedProxy proxy() {
    return new ScriptedProxy(repository().links(), SIZE);
  }

  private static List<BlockId> ids(ScriptedProxy proxy) {
    return LongStream.range(0, BLOCKS).mapToObj(block -> proxy.id(0, block)).toList();
  }

  /** A session of the machine that has stored all blocks durably, and lives. */
  private ScriptedProxy stored(String machine, byte[] disk) {
    ScriptedProxy proxy = proxy();
    proxy.open(machine, Map.of("system", disk));
    proxy.begin(0);
    BitSet wanted = proxy.offer(0, 0, ids(proxy));
    wanted.stream()
        .forEach(
            block -> {
              proxy.sendBlock(0, block);
              proxy.await("CHECKPOINT", () -> proxy.checkpoints == proxy.sentBlocks);
            });
    return proxy;
  }

  /** What is left when its proxy is killed. */
  private UUID leavePartial(String machine, byte[] disk) {
    try (ScriptedProxy proxy = stored(machine, disk)) {
      proxy.link.close();
      ScriptedProxy.poll("end of the session", () -> repository().sessions().isEmpty());
      return proxy.sessionId;
    }
  }

  private UUID leavePartial(String machine) {
    return leavePartial(machine, DISK);
  }

  private static byte[] another(int seed) {
    return Content.disk(DISK.length, seed);
  }

  private List<Partial> list() {
    try (ScriptedProxy link = proxy()) {
      link.send(new ListPartials("", ""));
      return link.expect(Partials.class).partials();
    }
  }

  private Partials remove(String machine) {
    try (ScriptedProxy link = proxy()) {
      link.send(new RemovePartials(new Name(machine)));
      return link.expect(Partials.class);
    }
  }

  /** Where the index, which is closed for that, finds the blocks. */
  private List<@Nullable BlockPlace> places(List<BlockId> ids) {
    close();
    try (RocksStore store =
        RocksStore.open(directory.resolve("index"), RocksStore.DEFAULT_MEMORY_BYTES)) {
      return store.index().find(ids);
    }
  }

  private List<BlockId> ids() {
    try (ScriptedProxy proxy = proxy()) {
      return LongStream.range(0, BLOCKS)
          .mapToObj(
              b ->
                  proxy.idOf(
                      java.util.Arrays.copyOfRange(
                          DISK, (int) b * SIZE.bytes(), (int) (b + 1) * SIZE.bytes()),
                      SIZE.bytes()))
          .toList();
    }
  }

  private long freeBytes() throws IOException {
    LinuxFile.syncFileSystem(directory);
    return Files.getFileStore(directory).getUnallocatedSpace();
  }

  @Test
  void isListedAndRemovedAndItsSpaceComesBack() throws IOException {
    UUID session = leavePartial("web");
    Partial partial = list().getFirst();

    assertThat(list()).hasSize(1);
    assertThat(partial.machine()).isEqualTo(WEB);
    assertThat(partial.sessionId()).isEqualTo(session);
    assertThat(partial.use()).isEqualTo(Use.FREE);
    assertThat(partial.occupiedBytes()).isGreaterThan(DISK.length / 3);
    assertThat(partial.begunAt()).isBetween(Instant.now().minusSeconds(60), Instant.now());
    assertThat(partial.writtenAt()).isBetween(Instant.now().minusSeconds(60), Instant.now());
    assertThat(repository().partials().occupiedBytes()).isEqualTo(partial.occupiedBytes());
    long before = freeBytes();

    assertThat(remove("web").partials()).containsExactly(partial);

    assertThat(list()).isEmpty();
    assertThat(repository().partials().occupiedBytes()).isZero();
    ScriptedProxy.poll("space", () -> isFreed(before, partial.occupiedBytes()));
    assertThat(directory.resolve("machines").resolve("web")).doesNotExist();
    assertThat(remove("web").partials()).isEmpty();
  }

  /** XFS frees in the background after a sync. */
  private boolean isFreed(long before, long bytes) {
    try {
      return freeBytes() >= before + bytes / 2;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void theIndexNamesNothingOfARemovedOneAndTheNextBackupIsRight() {
    leavePartial("web");
    List<BlockId> ids = ids();
    assertThat(places(ids)).doesNotContainNull();
    open();

    remove("web");

    assertThat(places(ids)).containsOnlyNulls();
    open();
    try (ScriptedProxy proxy = proxy()) {
      proxy.run("web", Map.of("system", DISK));
      assertThat(proxy.sentBlocks).isEqualTo(BLOCKS);
    }
    assertThat(ScriptedReader.restore(repository().links(), "web", 1, 0)).isEqualTo(DISK);
    assertThat(list()).isEmpty();
  }

  @Test
  void whatIsNotRemovedIsNotSentAgain() {
    leavePartial("web");
    try (ScriptedProxy proxy = proxy()) {
      proxy.run("web", Map.of("system", DISK));
      assertThat(proxy.sentBlocks).isZero();
    }
  }

  @Test
  void aPointMadeOfOneStaysWhole() {
    leavePartial("web");
    ScriptedProxy.backup(repository().links(), SIZE, "db", Map.of("system", DISK));

    assertThat(remove("web").partials()).hasSize(1);

    assertThat(ScriptedReader.restore(repository().links(), "db", 1, 0)).isEqualTo(DISK);
    try (ScriptedProxy proxy = proxy()) {
      proxy.run("web", Map.of("system", DISK));
    }
    assertThat(ScriptedReader.restore(repository().links(), "web", 1, 0)).isEqualTo(DISK);
  }

  @Test
  void oneOfASessionStaysWhetherThatRunsOrIsAway() {
    ScriptedProxy running = stored("web", DISK);
    try (ScriptedProxy back = proxy()) {
      assertThat(list().getFirst().use()).isEqualTo(Use.SESSION);
      assertBusy();
      running.link.abandon();
      ScriptedProxy.poll("loss", () -> repository().sessions().getFirst().state().equals("away"));
      assertThat(list().getFirst().use()).isEqualTo(Use.SESSION);
      assertBusy();
      back.resume(running, "web");
      back.expect(Opened.class);
      assertThat(back.offer(0, 0, ids(back)).isEmpty()).isTrue();
    } finally {
      running.close();
    }
  }

  private void assertBusy() {
    assertThatThrownBy(() -> remove("web"))
        .isInstanceOfSatisfying(
            MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MACHINE_BUSY));
    assertThatThrownBy(() -> repository().removePartials(WEB, "a test"))
        .isInstanceOfSatisfying(
            MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MACHINE_BUSY));
  }

  @Test
  void goesWhenItIsOldAndNotBefore() {
    leavePartial("web");
    leavePartial("db", another(4));
    Instant written = list().getFirst().writtenAt();

    clock.set(written.minus(Duration.ofDays(400)));
    assertThat(repository().partialAge().removeOld(Duration.ofDays(14)))
        .as("clock set back")
        .isZero();
    clock.set(written.plus(Duration.ofDays(13)));
    assertThat(repository().partialAge().removeOld(Duration.ofDays(14))).as("young").isZero();
    clock.set(written.plus(Duration.ofDays(14)).plusSeconds(60));
    assertThat(repository().partialAge().removeOld(Duration.ofDays(14))).as("old").isEqualTo(2);
    assertThat(list()).isEmpty();
    assertThat(places(ids())).containsOnlyNulls();
  }

  @Test
  void oneOfASessionNeverGoesWhateverTheClockSays() {
    byte[] other = Content.disk(SIZE.bytes(), 9);
    ScriptedProxy.backup(repository().links(), SIZE, "web", Map.of("system", other));
    try (ScriptedProxy running = stored("web", DISK)) {
      clock.set(Instant.now().plus(Duration.ofDays(3650)));
      assertThat(repository().partialAge().removeOld(Duration.ofDays(14))).isZero();
      assertThat(list()).hasSize(1);
      clock.reset();
      DiskDigest digest = new DiskDigest(DISK.length, SIZE);
      ids(running).forEach(digest::addBlock);
      running.send(new EndDisk(0, digest.finish()));
      running.commit();
    }
    assertThat(ScriptedReader.restore(repository().links(), "web", 1, 0)).isEqualTo(other);
    assertThat(ScriptedReader.restore(repository().links(), "web", 2, 0)).isEqualTo(DISK);
  }

  @Test
  void withoutALimitNoneGoes() {
    leavePartial("web");
    clock.set(Instant.now().plus(Duration.ofDays(3650)));
    assertThat(repository().partialAge().removeOld(Duration.ZERO)).isZero();
    assertThat(list()).hasSize(1);
  }

  @Test
  void theFirstLookIsAtOnce() {
    leavePartial("web");
    clock.set(Instant.now().plus(Duration.ofDays(15)));
    repository().partialAge().limit(Duration.ofDays(14));
    ScriptedProxy.poll("removal", () -> repository().partials().after("", "", 9).isEmpty());
  }

  @Test
  void oneWhoseHeadIsDamagedIsListedAndRemovedToo() throws IOException {
    leavePartial("web");
    Path folder = directory.resolve("machines").resolve("web");
    try (Stream<Path> files = Files.list(folder)) {
      Files.write(files.findFirst().orElseThrow(), new byte[100]);
    }
    Partial partial = list().getFirst();
    assertThat(partial.machine()).isEqualTo(WEB);
    assertThat(partial.begunAt()).isEqualTo(Instant.EPOCH);

    assertThat(remove("web").partials()).hasSize(1);
    assertThat(list()).isEmpty();
  }

  @Test
  void areListedBatchAfterBatch() {
    for (String machine : List.of("a", "b", "c", "d")) {
      leavePartial(machine, another(machine.charAt(0)));
    }
    List<Partial> all = repository().partials().after("", "", 9);
    assertThat(all).extracting(p -> p.machine().value()).containsExactly("a", "b", "c", "d");
    List<Partial> some = repository().partials().after("", "", 2);
    assertThat(some).isEqualTo(all.subList(0, 2));
    assertThat(repository().partials().after("", some.getLast().file(), 9))
        .isEqualTo(all.subList(2, 4));
    assertThat(repository().partials().after("c", "", 9)).isEqualTo(all.subList(2, 3));
  }

  @Test
  void besideAWriterNobodyKnowsWhoUsesThem() {
    leavePartial("web");
    try (Repository reading = Repository.openReadOnly(directory)) {
      assertThat(reading.partials().after("", "", 9))
          .extracting(Partial::use)
          .containsExactly(Use.UNKNOWN);
      assertThatThrownBy(() -> reading.removePartials(WEB, "a test"))
          .isInstanceOfSatisfying(
              MoverException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.REPOSITORY_READ_ONLY));
    }
  }
}
