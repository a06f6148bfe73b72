package dev.mover.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.error.SourceException;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.point.DiskSpec;
import dev.mover.api.point.Name;
import dev.mover.api.source.DiskSource;
import dev.mover.dedup.codec.Compression;
import dev.mover.transport.frame.Answer;
import dev.mover.transport.frame.BeginDisk;
import dev.mover.transport.frame.Commit;
import dev.mover.transport.frame.CommitProgress;
import dev.mover.transport.frame.EndDisk;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.Need;
import dev.mover.transport.frame.Offer;
import dev.mover.transport.frame.Open;
import dev.mover.transport.frame.Zero;
import dev.mover.transport.inprocess.InProcessConnector;
import dev.mover.transport.link.BulkReceiver;
import dev.mover.transport.link.FrameLink;
import dev.mover.transport.link.LinkConnector;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** However a backup fails, it ends, says why, and gives back what it had. */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BackupFailureTest {
  private static final Name MACHINE = new Name("m");
  private static final int DISK = 1_500_000;

  private final ModelRepository repository = new ModelRepository();
  private final LinkConnector connector = new InProcessConnector(repository);
  private Proxy proxy = new Proxy(new ProxyOptions(3, 2));
  private final List<MemorySource> sources = new ArrayList<>();

  @AfterEach
  void everythingIsGivenBack() throws InterruptedException {
    repository.awaitIdle();
    assertThat(proxy.leasedBytes()).as("block memory still leased").isZero();
    assertThat(sources).allMatch(source -> source.closed);
    proxy.close();
    assertThat(repository.pool.leasedBytes()).as("the model's memory still leased").isZero();
    repository.pool.close();
  }

  // ---- the source

  @Test
  void endsWhenAReadFails() throws InterruptedException {
    assertFails(
        new MemorySource("bad", DISK, 1) {
          @Override
          @Nullable MoverException readNow(long offset, int length, BlockBuffer into) {
            return offset < 1 << 20
                ? super.readNow(offset, length, into)
                : new SourceException(ErrorCode.SOURCE_READ_FAILED, "sector gone");
          }
        },
        ErrorCode.SOURCE_READ_FAILED,
        "sector gone");
    repository.awaitIdle();
    assertThat(repository.aborts).singleElement().asString().contains("sector gone");
  }

  @Test
  void endsWhenASourceTakesNoRead() {
    assertFails(
        new MemorySource("bad", DISK, 1) {
          @Override
          public void read(long offset, int length, BlockBuffer into, ReadDone done) {
            throw new IllegalStateException("no more reads");
          }
        },
        ErrorCode.INTERNAL,
        "no more reads");
  }

  @Test
  void endsWhenASourceBreaksWithAnError() {
    assertFails(
        new MemorySource("bad", DISK, 1) {
          @Override
          public long nextData(long offset) {
            throw new StackOverflowError("deep");
          }
        },
        ErrorCode.INTERNAL,
        "deep");
  }

  @Test
  void endsWhenASourceFailsAtItsEnd() {
    assertFails(
        new MemorySource("bad", DISK, 1) {
          @Override
          public List<String> finish() {
            throw new SourceException(ErrorCode.SOURCE_CHANGED, "not what it was");
          }
        },
        ErrorCode.SOURCE_CHANGED,
        "not what it was");
  }

  @Test
  void endsWhenADiskHangs() {
    giveUpSoon();
    List<DiskSource.ReadDone> hanging = new ArrayList<>();
    MemorySource source =
        new MemorySource("bad", DISK, 1) {
          @Override
          public void read(long offset, int length, BlockBuffer into, ReadDone done) {
            hanging.add(done);
          }
        };
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              awaitAbort();
              hanging.forEach(done -> done.done(null)); // or nothing would end
            });
    assertFails(source, ErrorCode.DEADLINE_PASSED, "reads of its disks are not answered");
  }

  private void giveUpSoon() {
    proxy.close();
    LinkPatience little =
        new LinkPatience(Duration.ofMillis(5), Duration.ofMinutes(1), Duration.ofMillis(300));
    proxy = new Proxy(new ProxyOptions(3, 2), Clock.systemUTC(), little);
  }

  private void awaitAbort() {
    while (true) {
      synchronized (repository) {
        if (!repository.aborts.isEmpty()) {
          return;
        }
      }
      Thread.onSpinWait();
    }
  }

  @Test
  void endsWhenTheRepositoryHangs() {
    giveUpSoon();
    repository.holdAcks = true;
    assertFails(halfZero(), ErrorCode.DEADLINE_PASSED, "the repository answers nothing");
  }

  @Test
  void saysThatThePointMayBeThereWhenTheRepositoryHangsWhileItCommits() {
    giveUpSoon();
    repository.insteadOfCommitted = new CommitProgress(99, "clone");
    assertFails(halfZero(), ErrorCode.DEADLINE_PASSED, "list its points");
  }

  // ---- the repository

  private static final List<Class<? extends Frame>> STEPS =
      List.of(Open.class, BeginDisk.class, Zero.class, Offer.class, EndDisk.class, Commit.class);

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5})
  void tellsTheRepositorysErrorInEveryStep(int step) {
    repository.onFrame =
        (frame, link) -> {
          if (STEPS.get(step).isInstance(frame)) {
            throw new RepositoryException(ErrorCode.REPOSITORY_WRITE_FAILED, "disk is on fire");
          }
        };
    assertFails(halfZero(), ErrorCode.REPOSITORY_WRITE_FAILED, "disk is on fire");
    assertThat(repository.pointsOf(MACHINE)).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5})
  void endsWhenTheRepositoryClosesInAnyStep(int step) {
    repository.onFrame =
        (frame, link) -> {
          if (STEPS.get(step).isInstance(frame)) {
            link.close();
          }
        };
    assertFails(
        halfZero(),
        ErrorCode.LINK_LOST,
        STEPS.get(step) == Commit.class ? "list its points" : "run again");
  }

  @Test
  void endsWhileItIsQueued() {
    repository.slots = 0;
    repository.onFrame =
        (frame, link) -> {
          if (frame instanceof BeginDisk begin && begin.disk() == 2) {
            link.close();
          }
        };
    assertFails(
        List.of(source("a"), source("b"), source("c"), source("d")), ErrorCode.LINK_LOST, "closed");
    assertThat(repository.grants).isEmpty();
  }

  @Test
  void canBeCancelledWhileItIsQueued() throws Exception {
    repository.slots = 0;
    CountDownLatch queued = new CountDownLatch(1);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    MemorySource source = source("a");
    Thread run =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    proxy.backup(
                        request(List.of(source)),
                        connector,
                        p -> {
                          if (p.detail().contains("model is full")) {
                            queued.countDown();
                          }
                        });
                  } catch (Throwable e) {
                    failure.set(e);
                  }
                });
    queued.await();
    run.interrupt();
    run.join();
    assertThat(failure.get())
        .isInstanceOfSatisfying(
            MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CANCELLED));
  }

  @Test
  void canBeCancelledWhileItConnects() throws Exception {
    CountDownLatch connecting = new CountDownLatch(1);
    LinkConnector deaf =
        new LinkConnector() {
          @Override
          public Mono<FrameLink> connect(BulkReceiver receiver) {
            return Mono.<FrameLink>never().doOnSubscribe(s -> connecting.countDown());
          }

          @Override
          public String address() {
            return "nowhere";
          }
        };
    AtomicReference<Throwable> failure = new AtomicReference<>();
    MemorySource source = source("a");
    Thread run =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    proxy.backup(request(List.of(source)), deaf, Progress.Listener.NONE);
                  } catch (Throwable e) {
                    failure.set(e);
                  }
                });
    connecting.await();
    run.interrupt();
    run.join();
    assertThat(failure.get())
        .isInstanceOfSatisfying(
            MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CANCELLED));
  }

  @Test
  void refusesToSendWhatTheDiskDoesNotHave() {
    repository.insteadOfCommitted = new Need(0, List.of(2L), true);
    assertFails(source("a"), ErrorCode.PROTOCOL_VIOLATION, "beyond the end");
    repository.insteadOfCommitted = new Need(7, List.of(0L), true);
    assertFails(source("a"), ErrorCode.PROTOCOL_VIOLATION, "disk 7");
  }

  @Test
  void refusesToRememberMoreNeedsThanItHasRoomFor() {
    repository.onFrame =
        (frame, link) -> {
          if (frame instanceof Commit) {
            for (int i = 0; i <= 256; i++) {
              link.send(new Need(0, Collections.nCopies(256, 0L), false));
            }
          }
        };
    repository.insteadOfCommitted = new Need(0, List.of(0L), true);
    assertFails(source("a"), ErrorCode.PROTOCOL_VIOLATION, "more than 65536 blocks");
  }

  @Test
  void endsWhenABlockCannotBeReadAgain() {
    repository.needOnce = List.of(1L);
    assertFails(
        new MemorySource("bad", DISK, 1) {
          private int reads;

          @Override
          @Nullable MoverException readNow(long offset, int length, BlockBuffer into) {
            return ++reads <= 2
                ? super.readNow(offset, length, into)
                : new SourceException(ErrorCode.SOURCE_READ_FAILED, "sector gone");
          }
        },
        ErrorCode.SOURCE_READ_FAILED,
        "sector gone");
  }

  @Test
  void endsWhenASourceTakesNoSecondRead() {
    repository.needOnce = List.of(1L);
    assertFails(
        new MemorySource("bad", DISK, 1) {
          private int reads;

          @Override
          public void read(long offset, int length, BlockBuffer into, ReadDone done) {
            if (++reads > 2) {
              throw new IllegalStateException("no more reads");
            }
            super.read(offset, length, into, done);
          }
        },
        ErrorCode.INTERNAL,
        "no more reads");
  }

  @Test
  void waitsForASlotBeforeItSendsAgain() throws Exception {
    ModelRepository slow = new ModelRepository();
    slow.holdAcks = true;
    CountDownLatch slowBegan = new CountDownLatch(1);
    slow.onFrame = (frame, link) -> countDownOn(BeginDisk.class, frame, slowBegan);
    CountDownLatch asked = new CountDownLatch(1);
    repository.needOnce = List.of(0L);
    repository.onFrame = (frame, link) -> countDownOn(Commit.class, frame, asked);
    try (Proxy single = new Proxy(new ProxyOptions(1, 2))) {
      CompletableFuture<BackupResult> other = new CompletableFuture<>();
      // The other backup waits for the only slot while ours still has it, so it gets it next.
      MemorySource last =
          new MemorySource("x", DISK, 1) {
            @Override
            public List<String> finish() {
              CountDownLatch queued = new CountDownLatch(1);
              start(single, other, source("a"), slow, p -> countDown(p, "task slot", queued));
              awaitQuietly(queued);
              return List.of();
            }
          };
      CompletableFuture<BackupResult> ours = new CompletableFuture<>();
      start(single, ours, last, repository, Progress.Listener.NONE);
      asked.await();
      slowBegan.await();
      assertThat(ours).isNotDone();
      slow.letGo();
      assertThat(other.get().warnings()).isEmpty();
      assertThat(ours.get().warnings()).singleElement().asString().contains("sent again");
    }
    slow.awaitIdle();
    slow.pool.close();
  }

  private static void countDownOn(Class<? extends Frame> kind, Frame frame, CountDownLatch latch) {
    if (kind.isInstance(frame)) {
      latch.countDown();
    }
  }

  private static void countDown(Progress progress, String words, CountDownLatch latch) {
    if (progress.detail().contains(words)) {
      latch.countDown();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void start(
      Proxy in,
      CompletableFuture<BackupResult> result,
      MemorySource disk,
      ModelRepository to,
      Progress.Listener listener) {
    Thread.ofPlatform()
        .start(
            () -> {
              try {
                result.complete(
                    in.backup(request(List.of(disk)), new InProcessConnector(to), listener));
              } catch (Throwable e) {
                result.completeExceptionally(e);
              }
            });
  }

  // ---- what must not fail it

  @Test
  void isNotLostForAProgressListenerThatFails() {
    BackupResult result =
        proxy.backup(
            request(List.of(source("a"))),
            connector,
            progress -> {
              throw new IllegalStateException("no terminal");
            });
    assertThat(result.sequence()).isEqualTo(1);
  }

  @Test
  void isWholeThoughTheLinkBreaksAfterCommitted() {
    repository.closeAfterCommitted = true;
    for (int i = 1; i <= 20; i++) {
      BackupResult result =
          proxy.backup(request(List.of(source("a"))), connector, Progress.Listener.NONE);
      assertThat(result.sequence()).isEqualTo(i);
    }
  }

  @Test
  void refusesAnAnswerThatFitsNoOffer() {
    repository.onFrame =
        (frame, link) -> {
          if (frame instanceof Offer offer) {
            link.send(new Answer(offer.disk(), offer.firstBlock() + 1, 1, new BitSet()));
          }
        };
    assertFails(source("a"), ErrorCode.PROTOCOL_VIOLATION, "fits no offer");
  }

  // ---- tools

  private void assertFails(MemorySource source, ErrorCode code, String words) {
    assertFails(List.of(source), code, words);
  }

  private void assertFails(List<MemorySource> disks, ErrorCode code, String words) {
    sources.addAll(disks);
    assertThatThrownBy(() -> proxy.backup(request(disks), connector, Progress.Listener.NONE))
        .isInstanceOfSatisfying(MoverException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(words);
    assertThat(proxy.leasedBytes()).isZero();
  }

  private MemorySource source(String name) {
    MemorySource source = new MemorySource(name, DISK, name.hashCode());
    synchronized (sources) {
      sources.add(source);
    }
    return source;
  }

  /** First a block of zeros that is read as such, then noise. */
  private MemorySource halfZero() {
    byte[] content = MemorySource.noise(3 << 20, 5);
    Arrays.fill(content, 0, 1 << 20, (byte) 0);
    return new MemorySource(new DiskSpec(new Name("half"), content.length, 512), content);
  }

  private static BackupRequest request(List<? extends DiskSource> disks) {
    return new BackupRequest(MACHINE, List.copyOf(disks), BlockSize.MIB_1, Compression.OPTIMAL);
  }
}
