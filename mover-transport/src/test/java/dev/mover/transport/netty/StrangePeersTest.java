package dev.mover.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.transport.carrier.LinkTimes;
import dev.mover.transport.carrier.VersionRange;
import dev.mover.transport.frame.BulkHeader;
import dev.mover.transport.frame.ErrorFrame;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.link.BulkReceiver;
import dev.mover.transport.link.Ear;
import dev.mover.transport.link.FrameLink;
import dev.mover.transport.link.RepositoryAddress;
import dev.mover.transport.link.Slots;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** What a client says of a server that is no repository of its version. */
class StrangePeersTest {
  private static final LinkTimes QUICK = new LinkTimes(500, 15_000, 60_000, 500);

  private final ServerSocket listening;
  private final NettyConnector connector;

  StrangePeersTest() throws IOException {
    listening = new ServerSocket(0, 5, InetAddress.ofLiteral("127.0.0.1"));
    connector = connector(listening.getLocalPort());
  }

  private static NettyConnector connector(int port) {
    return new NettyConnector(new RepositoryAddress("127.0.0.1", port), QUICK, VersionRange.OURS);
  }

  @BeforeEach
  void patience() throws IOException {
    listening.setSoTimeout(20_000);
  }

  @AfterEach
  void close() throws IOException {
    listening.close();
    connector.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n",
        "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n",
        "220 mail.example.org ESMTP\r\n"
      })
  void recognisesWhatIsNotAMover(String banner) throws Exception {
    CompletableFuture<@Nullable FrameLink> connecting = connect();
    try (RawPeer peer = accept()) {
      peer.send(banner);
      assertFails(connecting, ErrorCode.NOT_A_MOVER, "check host and port");
    }
  }

  @Test
  void recognisesAGreetingWithoutTheMagic() throws Exception {
    CompletableFuture<@Nullable FrameLink> connecting = connect();
    try (RawPeer peer = accept()) {
      peer.read();
      // A WELCOME frame of 40 zero bytes.
      peer.send(ByteBuffer.allocate(48).putInt(40).put((byte) 2).rewind());
      assertFails(connecting, ErrorCode.NOT_A_MOVER, "check host and port");
    }
  }

  @Test
  void waitsForASilentPeerOnlyUntilTheDeadline() throws Exception {
    CompletableFuture<@Nullable FrameLink> connecting = connect();
    try (RawPeer peer = accept()) {
      assertFails(connecting, ErrorCode.DEADLINE_PASSED, "within 500 ms");
      assertThat(peer.read()).isInstanceOf(dev.mover.transport.frame.Hello.class);
      assertCode(peer.read(), ErrorCode.DEADLINE_PASSED);
    }
  }

  @Test
  void saysThatTheConnectionWasClosedInTheHandshake() throws Exception {
    CompletableFuture<@Nullable FrameLink> connecting = connect();
    try (RawPeer peer = accept()) {
      peer.read();
    }
    assertFails(connecting, ErrorCode.CONNECT_FAILED, "in the handshake");
  }

  @Test
  void saysThatNobodyListens() throws Exception {
    listening.close();
    assertFails(connect(), ErrorCode.CONNECT_FAILED, "is the repository running there");
  }

  @Test
  void refusesAWelcomeInAVersionItDidNotOffer() throws Exception {
    CompletableFuture<@Nullable FrameLink> connecting = connect();
    try (RawPeer peer = accept()) {
      peer.welcome(9);
      assertFails(connecting, ErrorCode.VERSION_UNSUPPORTED, "version 9");
      assertCode(peer.read(), ErrorCode.VERSION_UNSUPPORTED);
      assertThat(peer.isAtEnd()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void releasesEveryPayloadOnceWhenThePeerDies(boolean withReset) throws Exception {
    int count = 64;
    AtomicInteger released = new AtomicInteger();
    CompletableFuture<@Nullable FrameLink> connecting = connect();
    RawPeer peer = accept().welcome(1);
    FrameLink link = link(connecting);
    Ear ear = Ear.on(link);
    ByteBuffer payload = ByteBuffer.allocateDirect(1 << 20);
    for (int i = 0; i < count; i++) {
      BulkHeader header = Slots.header(BulkHeader.Kind.BLOCK, i, payload);
      link.sendBulk(header, payload.duplicate(), released::incrementAndGet);
    }
    peer.close(withReset); // with most of it unread
    assertThat(ear.end())
        .isInstanceOfSatisfying(
            MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LINK_LOST));
    link.onClose().block();
    assertThat(released).hasValue(count);
  }

  @Test
  void closesWhatItOpenedWhenConnectingIsCancelled() throws Exception {
    reactor.core.Disposable connecting =
        connector
            .connect(BulkReceiver.NONE)
            .subscribe(_ -> {}, e -> assertThat(e).doesNotThrowAnyException());
    try (RawPeer peer = accept()) {
      peer.read();
      connecting.dispose();
      assertThat(peer.isAtEnd()).isTrue();
    }
  }

  @Test
  void reachesAnIpv6Literal() throws Exception {
    try (ServerSocket six = new ServerSocket(0, 5, InetAddress.ofLiteral("::1"));
        NettyConnector toSix = new NettyConnector("::1", six.getLocalPort())) {
      assertThat(toSix.address()).isEqualTo("mover://[::1]:" + six.getLocalPort());
      CompletableFuture<@Nullable FrameLink> connecting =
          toSix.connect(BulkReceiver.NONE).toFuture();
      try (RawPeer peer = new RawPeer(six.accept()).welcome(1)) {
        assertThat(link(connecting).peer()).isEqualTo("[0:0:0:0:0:0:0:1]:" + six.getLocalPort());
        link(connecting).close();
        assertThat(peer.read()).isInstanceOf(dev.mover.transport.frame.Bye.class);
      }
    }
  }

  private CompletableFuture<@Nullable FrameLink> connect() {
    Mono<FrameLink> connecting = connector.connect(BulkReceiver.NONE);
    return connecting.toFuture();
  }

  private static FrameLink link(CompletableFuture<@Nullable FrameLink> connecting)
      throws InterruptedException, ExecutionException {
    return Objects.requireNonNull(connecting.get());
  }

  private RawPeer accept() throws IOException {
    Socket socket = listening.accept();
    return new RawPeer(socket);
  }

  private static void assertFails(
      CompletableFuture<@Nullable FrameLink> connecting, ErrorCode code, String saying) {
    assertThatThrownBy(connecting::get)
        .isInstanceOf(ExecutionException.class)
        .cause()
        .hasMessageContaining(saying)
        .isInstanceOfSatisfying(MoverException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  private static void assertCode(Frame frame, ErrorCode code) {
    assertThat(frame)
        .isInstanceOfSatisfying(
            ErrorFrame.class, error -> assertThat(error.code()).isEqualTo(code.number()));
  }
}
