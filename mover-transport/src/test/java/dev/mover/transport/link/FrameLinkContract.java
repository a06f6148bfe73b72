package dev.mover.transport.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.error.Side;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.testkit.Guards;
import dev.mover.transport.carrier.VersionRange;
import dev.mover.transport.frame.BulkHeader;
import dev.mover.transport.frame.Checkpoint;
import dev.mover.transport.frame.ErrorFrame;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.MapPart;
import dev.mover.transport.frame.TargetFigures;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;

/** What every transport promises. */
public abstract class FrameLinkContract {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** Connects to {@code server}, as a client that speaks {@code versions}. */
  protected abstract LinkConnector connector(LinkServer server, VersionRange versions);

  private FrameLink connect(LinkServer server, BulkReceiver receiver) {
    return link(connector(server, VersionRange.OURS), receiver);
  }

  private static FrameLink link(LinkConnector connector, BulkReceiver receiver) {
    FrameLink link = connector.connect(receiver).block(PATIENCE);
    assertThat(link).isNotNull();
    return java.util.Objects.requireNonNull(link);
  }

  @Test
  void tellsBothSidesWhatTheRepositoryIs() {
    Host host = new Host(BulkReceiver.NONE);
    try (FrameLink link = connect(host, BulkReceiver.NONE)) {
      assertThat(link.welcome().repositoryId()).isEqualTo(Host.IDENTITY.repositoryId());
      assertThat(link.welcome().cloneMode()).isEqualTo(Host.IDENTITY.cloneMode());
      assertThat(host.guest(0).link().welcome()).isEqualTo(link.welcome());
      assertThat(link.peer()).isNotBlank();
    }
  }

  @Test
  void deliversControlFramesInOrderBothWays() {
    Host host = new Host(BulkReceiver.NONE);
    try (FrameLink link = connect(host, BulkReceiver.NONE)) {
      List<Frame> sent =
          LongStream.range(0, 2000)
              .mapToObj(n -> (Frame) new Checkpoint(n, TargetFigures.NONE))
              .toList();
      Ear ear = Ear.on(link);
      sent.forEach(link::send);
      sent.forEach(host.guest(0).link()::send);
      assertThat(host.guest(0).ear().frames(sent.size())).isEqualTo(sent);
      assertThat(ear.frames(sent.size())).isEqualTo(sent);
    }
  }

  @Test
  void carriesTheLargestControlFrame() {
    Host host = new Host(BulkReceiver.NONE);
    List<MapPart.MapRun> runs = new ArrayList<>();
    for (int i = 0; i < MapPart.MAX_RUNS; i++) {
      runs.add(new MapPart.MapRun(new dev.mover.api.block.BlockId(i, i, i, i), 1));
    }
    try (FrameLink link = connect(host, BulkReceiver.NONE)) {
      Ear ear = Ear.on(link);
      MapPart part = new MapPart(3, 17, runs);
      host.guest(0).link().send(part);
      assertThat(ear.frames(1)).containsExactly(part);
    }
  }

  @Test
  void whatItsUserEndedItWithIsTold() throws Exception {
    AtomicReference<FrameLink> served = new AtomicReference<>();
    BulkReceiver gone =
        new BulkReceiver() {
          @Override
          public BlockBuffer lend(BulkHeader header) {
            Objects.requireNonNull(served.get())
                .send(
                    new ErrorFrame(ErrorCode.BLOCK_DAMAGED.number(), Side.REPOSITORY, "it is bad"));
            throw new LinkException(ErrorCode.PROTOCOL_VIOLATION, "nobody takes it any more");
          }

          @Override
          public int payloadOffset() {
            return Slots.OFFSET;
          }

          @Override
          public void arrived(BulkHeader header, BlockBuffer buffer) {
            throw new AssertionError("nothing was lent");
          }

          @Override
          public void dropped(BlockBuffer buffer) {
            throw new AssertionError("nothing was lent");
          }
        };
    Host host =
        new Host(gone) {
          @Override
          protected void started(FrameLink link) {
            served.set(link);
            super.started(link);
          }
        };
    FrameLink link = connect(host, BulkReceiver.NONE);
    Ear ear = Ear.on(link);
    host.guest(0);
    ByteBuffer payload = payload(1000, 1);
    CountDownLatch released = new CountDownLatch(1);
    link.sendBulk(header(0, payload), payload, released::countDown);
    assertThat(ear.end())
        .isInstanceOfSatisfying(
            MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BLOCK_DAMAGED));
    assertThat(released.await(20, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void carriesBlocksOfEverySizeUnchanged() throws Exception {
    Slots slots = new Slots(BlockSize.MIB_4, 2);
    Host host = new Host(slots);
    try (FrameLink link = connect(host, BulkReceiver.NONE)) {
      int[] lengths = {1, 511, 256 << 10, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 4 << 20};
      CountDownLatch released = new CountDownLatch(lengths.length);
      for (int i = 0; i < lengths.length; i++) {
        ByteBuffer payload = payload(lengths[i], i);
        link.sendBulk(header(i, payload), payload, released::countDown);
      }
      List<BulkHeader> arrived = slots.arrived(lengths.length);
      for (int i = 0; i < lengths.length; i++) {
        assertThat(arrived.get(i)).isEqualTo(header(i, payload(lengths[i], i)));
      }
      assertThat(released.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(slots.lent()).isZero();
    }
  }

  @Test
  void carriesBlocksBothWaysAtOnceFromManyThreads() throws Exception {
    int threads = 4;
    int each = 20;
    Slots atRepository = new Slots(BlockSize.KIB_256, 4);
    Slots atProxy = new Slots(BlockSize.KIB_256, 4);
    Host host = new Host(atRepository);
    FrameLink link = connect(host, atProxy);
    AtomicInteger released = new AtomicInteger();
    List<Thread> senders = new ArrayList<>();
    for (int t = 0; t < 2 * threads; t++) {
      int from = t * each;
      FrameLink way = t % 2 == 0 ? link : host.guest(0).link();
      BulkHeader.Kind kind = t % 2 == 0 ? BulkHeader.Kind.BLOCK : BulkHeader.Kind.DATA;
      senders.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int i = 0; i < each; i++) {
                      ByteBuffer payload = payload(200_000 + i, from + i);
                      link.send(new Checkpoint(i, TargetFigures.NONE));
                      way.sendBulk(
                          Slots.header(kind, from + i, payload),
                          payload,
                          released::incrementAndGet);
                    }
                  }));
    }
    for (Thread sender : senders) {
      sender.join();
    }
    atRepository.arrived(threads * each);
    atProxy.arrived(threads * each);
    host.guest(0).ear().frames(2 * threads * each);
    link.close();
    link.onClose().block(PATIENCE);
    assertThat(released).hasValue(2 * threads * each);
    assertThat(atRepository.lent() + atProxy.lent()).isZero();
  }

  @Test
  void tellsASenderThatItIsBeyondItsCredit() throws Exception {
    Slots none = new Slots(BlockSize.KIB_256, 0);
    Host host = new Host(none);
    try (FrameLink link = connect(host, BulkReceiver.NONE)) {
      Ear ear = Ear.on(link);
      CountDownLatch released = new CountDownLatch(1);
      ByteBuffer payload = payload(100_000, 5);
      link.sendBulk(header(5, payload), payload, released::countDown);
      assertThat(ear.end())
          .isInstanceOf(LinkException.class)
          .hasMessageContaining("block 5 is beyond the credit");
      assertCode(ear.end(), ErrorCode.PROTOCOL_VIOLATION);
      assertCode(host.guest(0).ear().end(), ErrorCode.PROTOCOL_VIOLATION);
      assertThat(released.await(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void refusesBulkFramesWhereNoneAreExpected() {
    Host host = new Host(BulkReceiver.NONE);
    try (FrameLink link = connect(host, BulkReceiver.NONE)) {
      Ear ear = Ear.on(link);
      ByteBuffer payload = payload(10, 0);
      host.guest(0)
          .link()
          .sendBulk(Slots.header(BulkHeader.Kind.DATA, 0, payload), payload, () -> {});
      assertCode(ear.end(), ErrorCode.PROTOCOL_VIOLATION);
      assertCode(host.guest(0).ear().end(), ErrorCode.PROTOCOL_VIOLATION);
    }
  }

  @Test
  void releasesEveryPayloadOnceWhenTheLinkCloses() {
    Slots slots = new Slots(BlockSize.MIB_1, 2);
    Host host = new Host(slots);
    FrameLink link = connect(host, BulkReceiver.NONE);
    int count = 64;
    AtomicInteger released = new AtomicInteger();
    ByteBuffer payload = payload(1 << 20, 1);
    for (int i = 0; i < count; i++) {
      link.sendBulk(header(i, payload), payload.duplicate(), released::incrementAndGet);
      if (i == count / 2) {
        host.guest(0).link().close();
      }
    }
    link.close();
    link.onClose().block(PATIENCE);
    host.guest(0).link().onClose().block(PATIENCE);
    assertThat(released).hasValue(count);
    assertThat(slots.lent()).isZero();
  }

  @Test
  void sendsWhatIsQueuedBeforeItCloses() {
    Slots slots = new Slots(BlockSize.MIB_1, 2);
    Host host = new Host(slots);
    FrameLink link = connect(host, BulkReceiver.NONE);
    ByteBuffer payload = payload(1 << 20, 1);
    for (int i = 0; i < 32; i++) {
      link.sendBulk(header(i, payload), payload.duplicate(), () -> {});
    }
    link.send(new Checkpoint(32, TargetFigures.NONE));
    link.close();
    slots.arrived(32);
    assertThat(host.guest(0).ear().frames(1))
        .containsExactly(new Checkpoint(32, TargetFigures.NONE));
    assertThat(host.guest(0).ear().end()).isNull();
  }

  @Test
  void completesBothSidesWhenOneCloses() {
    Host host = new Host(BulkReceiver.NONE);
    FrameLink link = connect(host, BulkReceiver.NONE);
    Ear ear = Ear.on(link);
    host.guest(0).link().close();
    host.guest(0).link().close();
    assertThat(ear.end()).isNull();
    assertThat(host.guest(0).ear().end()).isNull();
    link.onClose().block(PATIENCE);
    host.guest(0).link().onClose().block(PATIENCE);
  }

  @Test
  void doesNothingAfterTheEnd() {
    Host host = new Host(BulkReceiver.NONE);
    FrameLink link = connect(host, BulkReceiver.NONE);
    link.close();
    link.onClose().block(PATIENCE);
    AtomicInteger released = new AtomicInteger();
    ByteBuffer payload = payload(10, 0);
    link.send(new Checkpoint(1, TargetFigures.NONE));
    link.sendBulk(header(0, payload), payload, released::incrementAndGet);
    link.close();
    assertThat(released).hasValue(1);
    assertThat(host.guest(0).ear().end()).isNull();
  }

  @Test
  void carriesAnErrorAcross() {
    Host host = new Host(BulkReceiver.NONE);
    FrameLink link = connect(host, BulkReceiver.NONE);
    Ear ear = Ear.on(link);
    host.guest(0).link().send(new Checkpoint(1, TargetFigures.NONE));
    host.guest(0)
        .link()
        .send(
            new ErrorFrame(
                ErrorCode.REPOSITORY_FULL.number(), Side.REPOSITORY, "no room on /backup"));
    assertThat(ear.end()).isInstanceOf(RepositoryException.class).hasMessage("no room on /backup");
    assertCode(ear.end(), ErrorCode.REPOSITORY_FULL);
    assertThat(ear.frames(1)).containsExactly(new Checkpoint(1, TargetFigures.NONE));
    assertThat(host.guest(0).ear().end()).isNull();
    link.onClose().block(PATIENCE);
    host.guest(0).link().onClose().block(PATIENCE);
  }

  @Test
  void carriesAnErrorAcrossWhileBlocksAreStillComing() {
    Slots slots = new Slots(BlockSize.MIB_1, 2);
    Host host = new Host(slots);
    FrameLink link = connect(host, BulkReceiver.NONE);
    Ear ear = Ear.on(link);
    ByteBuffer payload = payload(1 << 20, 1);
    AtomicInteger released = new AtomicInteger();
    for (int i = 0; i < 100; i++) {
      link.sendBulk(header(i, payload), payload.duplicate(), released::incrementAndGet);
      if (i == 20) {
        ErrorFrame full = new ErrorFrame(ErrorCode.REPOSITORY_FULL.number(), Side.REPOSITORY, "no");
        host.guest(0).link().send(full);
      }
    }
    assertCode(ear.end(), ErrorCode.REPOSITORY_FULL);
    link.onClose().block(PATIENCE);
    host.guest(0).link().onClose().block(PATIENCE);
    assertThat(released).hasValue(100);
    assertThat(slots.lent()).isZero();
  }

  @Test
  void showsTheMessageOfAnErrorItDoesNotKnow() {
    Host host = new Host(BulkReceiver.NONE);
    FrameLink link = connect(host, BulkReceiver.NONE);
    Ear ear = Ear.on(link);
    host.guest(0).link().send(new ErrorFrame(999, Side.REPOSITORY, "something of the future"));
    assertThat(ear.end()).hasMessageContaining("999").hasMessageContaining("of the future");
  }

  @Test
  void endsALinkWhoseMailboxNobodyReads() {
    Host deaf =
        new Host(BulkReceiver.NONE) {
          @Override
          protected void started(FrameLink link) {
            link.control().subscribe(new Deaf());
          }
        };
    try (FrameLink link = connect(deaf, BulkReceiver.NONE)) {
      Ear ear = Ear.on(link);
      for (int i = 0; i < 3 * FrameLink.MAX_MAILBOX; i++) {
        link.send(new Checkpoint(i, TargetFigures.NONE));
      }
      assertCode(ear.end(), ErrorCode.PROTOCOL_VIOLATION);
      link.onClose().block(PATIENCE);
    }
  }

  /** Subscribes and asks for nothing. */
  private static final class Deaf extends BaseSubscriber<Frame> {
    @Override
    protected void hookOnSubscribe(Subscription subscription) {
      // Asks for nothing: that is the point.
    }

    @Override
    protected void hookOnError(Throwable error) {
      throw new AssertionError("an error overtook the frames before it", error);
    }
  }

  @Test
  void tellsAClientWhyItIsNotAccepted() {
    LinkServer closed =
        _ -> {
          throw new RepositoryException(ErrorCode.SHUTTING_DOWN, "the repository is shutting down");
        };
    assertThatThrownBy(() -> connect(closed, BulkReceiver.NONE))
        .isInstanceOf(RepositoryException.class)
        .hasMessage("the repository is shutting down");
  }

  @Test
  void tellsAClientWhenASessionFailsToStart() {
    Host broken =
        new Host(BulkReceiver.NONE) {
          @Override
          protected void started(FrameLink link) {
            throw new IllegalStateException("out of order");
          }
        };
    FrameLink link = connect(broken, BulkReceiver.NONE);
    assertThat(Ear.on(link).end()).hasMessageContaining("out of order");
  }

  @Test
  void namesBothVersionsWhenTheyDoNotOverlap() {
    Host host = new Host(BulkReceiver.NONE);
    LinkConnector newer = connector(host, new VersionRange(2, 3));
    assertThatThrownBy(() -> link(newer, BulkReceiver.NONE))
        .isInstanceOf(LinkException.class)
        .hasMessageContaining("version 1")
        .hasMessageContaining("versions 2 to 3")
        .extracting(e -> ((LinkException) e).code())
        .isEqualTo(ErrorCode.VERSION_UNSUPPORTED);
  }

  @Test
  void keepsManyLinksApart() {
    int count = 24;
    Slots slots = new Slots(BlockSize.KIB_256, 4);
    Host host = new Host(slots);
    LinkConnector connector = connector(host, VersionRange.OURS);
    List<FrameLink> links = new ArrayList<>();
    List<Ear> ears = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      links.add(link(connector, BulkReceiver.NONE));
      ears.add(Ear.on(links.get(i)));
      ByteBuffer payload = payload(100_000, i);
      for (int b = 0; b < 8; b++) {
        links.get(i).sendBulk(header(i * 8 + b, payload), payload.duplicate(), () -> {});
      }
      links.get(i).send(new Checkpoint(i, TargetFigures.NONE));
    }
    for (int i = 0; i < count; i++) {
      Host.Guest guest = host.guest(i);
      guest.link().send(guest.ear().frames(1).getFirst());
    }
    List<Frame> answers = ears.stream().map(ear -> ear.frames(1).getFirst()).toList();
    for (int i = 0; i < count; i++) {
      assertThat(answers.get(i)).isEqualTo(new Checkpoint(i, TargetFigures.NONE));
    }
    slots.arrived(count * 8);
    links.forEach(FrameLink::close);
    links.forEach(link -> link.onClose().block(PATIENCE));
    assertThat(slots.lent()).isZero();
  }

  @Test
  void runsItsUserWhereBlockingIsNoticed() {
    Host blocking =
        new Host(BulkReceiver.NONE) {
          @Override
          protected void started(FrameLink link) {
            try {
              Thread.sleep(1);
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
          }
        };
    FrameLink link = connect(blocking, BulkReceiver.NONE);
    assertThat(Ear.on(link).end()).hasMessageContaining("Blocking call");
    assertThat(Guards.forgive()).hasSize(1);
  }

  static void assertCode(@Nullable Throwable error, ErrorCode code) {
    assertThat(error).isInstanceOf(MoverException.class);
    assertThat(((MoverException) java.util.Objects.requireNonNull(error)).code()).isEqualTo(code);
  }

  static BulkHeader header(long block, ByteBuffer payload) {
    return Slots.header(BulkHeader.Kind.BLOCK, block, payload);
  }

  /** Direct memory, as in production, with bytes that depend on {@code seed}. */
  static ByteBuffer payload(int length, long seed) {
    byte[] bytes = new byte[length];
    new SplittableRandom(seed).nextBytes(bytes);
    return ByteBuffer.allocateDirect(length).put(bytes).flip();
  }
}
