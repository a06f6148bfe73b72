package dev.mover.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.point.DiskSpec;
import dev.mover.api.point.Name;
import dev.mover.transport.frame.Abort;
import dev.mover.transport.frame.Get;
import dev.mover.transport.frame.Open;
import dev.mover.transport.frame.Opened;
import dev.mover.transport.frame.ReadPoint;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sessions and readers that are over, or as good as that, are in nobody's way. */
class ComingAgainTest {
  private static final BlockSize SIZE = BlockSize.KIB_256;
  private static final byte[] DISK = Content.disk(40 * SIZE.bytes(), 1);

  @TempDir Path temp;
  private @Nullable Repository opened;
  private final FaultyFiles disk = new FaultyFiles();

  @BeforeEach
  void open() {
    open(Duration.ofSeconds(5));
  }

  private void open(Duration checkpointEvery) {
    opened =
        Repository.open(
            temp,
            RepositoryOptions.DEFAULT,
            disk::over,
            RepositoryTimes.DEFAULT
                .withCheckpointEvery(checkpointEvery)
                .withDeafAfter(Duration.ofMillis(300)));
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
  }

  @Test
  void aMachineWhoseSessionFailedIsTakenAgainWhenItsWritesHaveEnded() {
    CountDownLatch writes = new CountDownLatch(1);
    Open again =
        new Open(
            java.util.UUID.randomUUID(),
            new Name("web"),
            SIZE,
            List.of(new DiskSpec(new Name("system"), DISK.length, 512)));
    try (ScriptedProxy failing = proxy();
        ScriptedProxy second = proxy()) {
      failing.open("web", Map.of("system", DISK));
      failing.begin(0);
      failing.offer(0, 0, List.of(failing.id(0, 0), failing.id(0, 1)));
      disk.holdWrites(writes);
      failing.sendBlock(0, 0);
      failing.sendBlockBeyondCredit(0, 1, 1); // damaged on its way
      assertThat(failing.expectError().code()).isEqualTo(ErrorCode.BLOCK_DAMAGED);
      assertThat(repository().status().sessions()).isEqualTo(1);
      second.send(again);
      writes.countDown();
      assertThat(second.expect(Opened.class).sequence()).isEqualTo(1);
    } finally {
      writes.countDown();
    }
  }

  /** A disk that goes away fails writes and the sync beside them, in any order. */
  @Test
  void aMachineWhoseSyncFailedAfterItsSessionIsTakenAgain() {
    close();
    open(Duration.ZERO);
    CountDownLatch syncs = new CountDownLatch(1);
    try (ScriptedProxy failing = proxy();
        ScriptedProxy second = proxy()) {
      failing.open("web", Map.of("system", DISK));
      failing.begin(0);
      failing.offer(0, 0, List.of(failing.id(0, 0), failing.id(0, 1)));
      disk.holdSyncs(syncs);
      failing.sendBlock(0, 0);
      ScriptedProxy.poll("checkpoint", () -> disk.waitingSyncs.get() == 1);
      disk.failFrom.set(disk.changes.get());
      failing.sendBlock(0, 1);
      assertThat(failing.expectError().code()).isEqualTo(ErrorCode.REPOSITORY_WRITE_FAILED);
      long closed = System.nanoTime(); // all but the sync has ended by the time it fails
      ScriptedProxy.poll("quiet", () -> System.nanoTime() - closed > 300_000_000L);
      syncs.countDown();
      ScriptedProxy.poll("end", () -> repository().status().sessions() == 0);
      disk.failFrom.set(Long.MAX_VALUE);
      assertThat(second.open("web", Map.of("system", DISK)).sequence()).isEqualTo(1);
    } finally {
      syncs.countDown();
    }
  }

  @Test
  void whatASessionStoredBeforeItEndedIsNotSentAgain() {
    try (ScriptedProxy failing = proxy();
        ScriptedProxy next = proxy()) {
      failing.open("web", Map.of("system", DISK));
      failing.begin(0);
      failing.offer(0, 0, LongStream.range(0, 6).mapToObj(b -> failing.id(0, b)).toList());
      for (int block = 0; block < 6; block++) {
        failing.sendBlock(0, block);
      }
      failing.await("ACKs", () -> failing.acked == 6);
      assertThat(failing.checkpoints).isZero();
      failing.send(new Abort("a disk can't be read"));
      next.run("web", Map.of("system", DISK));
      assertThat(next.sentBlocks).isEqualTo(40 - 6);
    }
    assertThat(ScriptedReader.restore(repository().links(), "web", 1, 0)).isEqualTo(DISK);
  }

  @Test
  void aReaderThatTakesNothingGivesItsMemoryBack() {
    ScriptedProxy.backup(repository().links(), SIZE, "web", Map.of("system", DISK));
    List<ScriptedProxy> deaf = new ArrayList<>();
    try {
      for (int i = 0; i < 24; i++) {
        ScriptedProxy reader = proxy();
        deaf.add(reader);
        reader.send(new ReadPoint(new Name("web"), 0, false));
        reader.send(new Get(0));
      }
      for (ScriptedProxy reader : deaf) {
        reader.expect(dev.mover.transport.frame.Point.class);
        MoverException error = reader.expectError();
        assertThat(error.code()).isEqualTo(ErrorCode.DEADLINE_PASSED);
        assertThat(error.getMessage()).contains("disk system of web, point 1", "took no data");
      }
      ScriptedProxy.poll("memory", () -> repository().memory().get(1).leasedBytes() == 0);
      assertThat(ScriptedReader.restore(repository().links(), "web", 1, 0)).isEqualTo(DISK);
    } finally {
      deaf.forEach(ScriptedProxy::close);
    }
  }

  @Test
  void manyReadersGetFewBuffersEach() {
    BlockSize large = BlockSize.MIB_4;
    byte[] disk = Content.disk(3 * large.bytes(), 1);
    ScriptedProxy.backup(repository().links(), large, "web", Map.of("system", disk));
    List<ScriptedProxy> readers = new ArrayList<>();
    try {
      for (int i = 0; i < 6; i++) {
        ScriptedProxy reader = proxy();
        readers.add(reader);
        reader.send(new ReadPoint(new Name("web"), 0, false));
        reader.expect(dev.mover.transport.frame.Point.class);
      }
      readers.forEach(reader -> reader.send(new Get(0)));
      // None was refused for lack of memory.
      assertThat(readers)
          .allSatisfy(r -> assertThat(r.expectError().code()).isEqualTo(ErrorCode.DEADLINE_PASSED));
    } finally {
      readers.forEach(ScriptedProxy::close);
    }
  }
}
