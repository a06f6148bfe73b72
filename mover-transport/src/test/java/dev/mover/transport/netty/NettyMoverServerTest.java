package dev.mover.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import dev.mover.transport.carrier.LinkTimes;
import dev.mover.transport.frame.BulkHeader;
import dev.mover.transport.frame.Checkpoint;
import dev.mover.transport.frame.ErrorFrame;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.FrameCodecs;
import dev.mover.transport.frame.MapPart;
import dev.mover.transport.frame.Ping;
import dev.mover.transport.frame.Pong;
import dev.mover.transport.frame.TargetFigures;
import dev.mover.transport.link.BulkReceiver;
import dev.mover.transport.link.Ear;
import dev.mover.transport.link.FrameLink;
import dev.mover.transport.link.Host;
import dev.mover.transport.link.Slots;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a repository does with clients of every kind. */
class NettyMoverServerTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** In their order, and far enough apart: of two deadlines at once either may come first. */
  private static final LinkTimes QUICK = new LinkTimes(300, 60, 1000, 500);

  private final Slots slots = new Slots(BlockSize.MIB_1, 2);
  private final Host host = new Host(slots);
  private NettyMoverServer server = bind(LinkTimes.DEFAULT);

  private NettyMoverServer bind(LinkTimes times) {
    return NettyMoverServer.bind("127.0.0.1", 0, host, 2, times);
  }

  private void rebind(LinkTimes times) {
    server.close();
    server = bind(times);
  }

  @AfterEach
  void close() {
    server.close();
    assertThat(slots.lent()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", "\0\0\0\0\0\0\0\0\0\0"})
  void tellsAClientThatIsNotAMover(String greeting) throws Exception {
    try (RawPeer client = RawPeer.connect(server.address())) {
      client.send(greeting);
      assertCode(client.read(), ErrorCode.NOT_A_MOVER);
      assertThat(client.isAtEnd()).isTrue();
    }
  }

  @Test
  void endsTheLinkOfAClientThatNeverGreets() throws Exception {
    rebind(QUICK);
    try (RawPeer client = RawPeer.connect(server.address())) {
      assertCode(client.read(), ErrorCode.DEADLINE_PASSED);
      assertThat(client.isAtEnd()).isTrue();
    }
  }

  @Test
  void refusesFramesBeforeTheHandshake() throws Exception {
    try (RawPeer client = RawPeer.connect(server.address())) {
      client.send(new Checkpoint(1, TargetFigures.NONE));
      assertCode(client.read(), ErrorCode.NOT_A_MOVER);
    }
  }

  @Test
  void refusesAFrameThatIsTooLarge() throws Exception {
    try (RawPeer client = RawPeer.connect(server.address()).greet()) {
      client.send(ByteBuffer.allocate(8).putInt(600 << 10).put((byte) 0x17).rewind());
      assertCode(client.read(), ErrorCode.FRAME_TOO_LARGE);
      assertThat(client.isAtEnd()).isTrue();
      assertCode(host.guest(0).ear().end(), ErrorCode.FRAME_TOO_LARGE);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void givesBackTheLentBufferWhenAClientDiesInMidPayload(boolean withReset) throws Exception {
    RawPeer client = RawPeer.connect(server.address()).greet();
    ByteBuffer payload = ByteBuffer.allocate(1 << 20);
    ByteBuffer prefix = ByteBuffer.allocate(BulkHeader.PREFIX_BYTES);
    FrameCodecs.encodeBulk(Slots.header(BulkHeader.Kind.BLOCK, 0, payload), prefix);
    client.send(prefix.flip());
    client.send(payload.limit(100_000));
    client.send(new Ping(1)); // not a frame but more payload
    while (slots.lent() == 0) {
      Thread.onSpinWait();
    }
    client.close(withReset);
    slots.awaitDropped(1);
    assertCode(host.guest(0).ear().end(), ErrorCode.LINK_LOST);
    host.guest(0).link().onClose().block(PATIENCE);
  }

  @Test
  void callsALinkLostThatEndsWithoutGoodBye() throws Exception {
    RawPeer client = RawPeer.connect(server.address()).greet();
    client.send(new Checkpoint(5, TargetFigures.NONE));
    client.close(false);
    assertThat(host.guest(0).ear().frames(1))
        .containsExactly(new Checkpoint(5, TargetFigures.NONE));
    assertCode(host.guest(0).ear().end(), ErrorCode.LINK_LOST);
  }

  @Test
  void givesUpAClientThatAsksAndDoesNotRead() throws Exception {
    try (RawPeer client = RawPeer.connect(server.address()).greet()) {
      MapPart.MapRun run = new MapPart.MapRun(new BlockId(1, 2, 3, 4), 1);
      MapPart part = new MapPart(0, 0, Collections.nCopies(MapPart.MAX_RUNS, run));
      FrameLink link = host.guest(0).link();
      for (int i = 0; i < 200; i++) { // 54 MB against 32 MiB and the kernel's buffers
        link.send(part);
      }
      assertThat(host.guest(0).ear().end()).hasMessageContaining("unread");
      link.onClose().block(PATIENCE);
      assertThat(client).isNotNull();
    }
  }

  @Test
  void asksASilentPeerForASignOfLifeAndGivesItUp() throws Exception {
    rebind(QUICK);
    try (RawPeer client = RawPeer.connect(server.address()).greet()) {
      assertThat(client.read()).isEqualTo(new Ping(0));
      assertThat(host.guest(0).ear().end()).hasMessageContaining("no sign of life");
      assertCode(host.guest(0).ear().end(), ErrorCode.LINK_LOST);
    }
  }

  @Test
  void keepsASilentPeerThatAnswersPings() throws Exception {
    rebind(QUICK);
    try (RawPeer client = RawPeer.connect(server.address()).greet()) {
      long end = System.nanoTime() + 3 * QUICK.deadAfterMs() * 1_000_000;
      while (System.nanoTime() < end) {
        assertThat(client.read()).isInstanceOfSatisfying(Ping.class, ping -> answer(client, ping));
      }
      client.send(new Checkpoint(1, TargetFigures.NONE));
      assertThat(host.guest(0).ear().frames(1))
          .containsExactly(new Checkpoint(1, TargetFigures.NONE));
    }
  }

  @Test
  void answersPings() throws Exception {
    try (RawPeer client = RawPeer.connect(server.address()).greet()) {
      client.send(new Ping(77));
      assertThat(client.read()).isEqualTo(new Pong(77));
    }
  }

  @Test
  void refusesOneLinkTooManyAndTakesItLater() throws Exception {
    try (NettyConnector connector = connector()) {
      FrameLink first = connect(connector);
      FrameLink second = connect(connector);
      assertThatThrownBy(() -> connect(connector))
          .isInstanceOfSatisfying(
              MoverException.class, e -> assertCode(e, ErrorCode.REPOSITORY_BUSY));
      first.close();
      host.guest(0).link().onClose().block(PATIENCE);
      while (server.links() > 1) {
        Thread.onSpinWait();
      }
      FrameLink third = connect(connector);
      second.close();
      third.close();
    }
  }

  @Test
  void whoOnlyConnectsKeepsNobodyOut() throws Exception {
    List<RawPeer> silent = new ArrayList<>();
    try (NettyConnector connector = connector()) {
      for (int i = 0; i < NettyMoverServer.MAX_STRANGERS; i++) {
        silent.add(RawPeer.connect(server.address()));
        while (server.links() <= i) { // two event loops might take them in another order
          Thread.onSpinWait();
        }
      }
      FrameLink link = connect(connector);
      assertCode(silent.getFirst().read(), ErrorCode.DEADLINE_PASSED);
      assertThat(silent.getFirst().isAtEnd()).isTrue();
      silent.getLast().greet();
      link.close();
    } finally {
      for (RawPeer peer : silent) {
        peer.close();
      }
    }
  }

  @Test
  void cutsAClientThatTakesNothingWhenItsLinkFailed() throws Exception {
    rebind(new LinkTimes(10_000, 15_000, 300, 500));
    AtomicInteger released = new AtomicInteger();
    try (RawPeer client = RawPeer.connect(server.address()).greet()) {
      FrameLink link = host.guest(0).link();
      ByteBuffer payload = ByteBuffer.allocateDirect(1 << 20);
      int count = 32; // more than the kernel takes
      for (int i = 0; i < count; i++) {
        BulkHeader header = Slots.header(BulkHeader.Kind.DATA, i, payload);
        link.sendBulk(header, payload.duplicate(), released::incrementAndGet);
      }
      link.send(new ErrorFrame(ErrorCode.DEADLINE_PASSED.number(), Side.REPOSITORY, "too slow"));
      while (stillTakes(client)) {
        Thread.onSpinWait();
      }
      link.onClose().block(PATIENCE);
      assertThat(released).hasValue(count);
    }
  }

  /** It is alive, and deaf. */
  private static boolean stillTakes(RawPeer client) {
    try {
      client.send(new Ping(1));
      return true;
    } catch (java.io.IOException e) {
      return false;
    }
  }

  @Test
  void tellsItsClientsThatItShutsDown() {
    try (NettyConnector connector = connector()) {
      Ear ear = Ear.on(connect(connector));
      host.guest(0);
      server.close();
      assertCode(ear.end(), ErrorCode.SHUTTING_DOWN);
      assertThat(server.links()).isZero();
    }
  }

  @Test
  void refusesAPortInUse() {
    int port = server.address().getPort();
    assertThatThrownBy(() -> NettyMoverServer.bind("127.0.0.1", port, host))
        .hasMessageContaining("port " + port)
        .isInstanceOfSatisfying(MoverException.class, e -> assertCode(e, ErrorCode.PORT_IN_USE));
  }

  @ParameterizedTest
  @ValueSource(strings = {"192.0.2.1", "not an address", "127.0.0.1:5"})
  void refusesAnAddressThatIsNotItsOwn(String address) {
    assertThatThrownBy(() -> NettyMoverServer.bind(address, 0, host))
        .hasMessageContaining("cannot listen on")
        .isInstanceOfSatisfying(MoverException.class, e -> assertCode(e, ErrorCode.BAD_ADDRESS));
  }

  private NettyConnector connector() {
    return new NettyConnector("127.0.0.1", server.address().getPort());
  }

  private static FrameLink connect(NettyConnector connector) {
    return Objects.requireNonNull(connector.connect(BulkReceiver.NONE).block(PATIENCE));
  }

  private static void answer(RawPeer client, Ping ping) {
    try {
      client.send(new Pong(ping.number()));
    } catch (java.io.IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void assertCode(Frame frame, ErrorCode code) {
    assertThat(frame)
        .isInstanceOfSatisfying(
            ErrorFrame.class, error -> assertThat(error.code()).isEqualTo(code.number()));
  }

  private static void assertCode(@Nullable Throwable error, ErrorCode code) {
    assertThat(error)
        .isInstanceOfSatisfying(MoverException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}
