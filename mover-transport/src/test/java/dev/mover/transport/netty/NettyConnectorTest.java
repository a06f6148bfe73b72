package dev.mover.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import dev.mover.transport.carrier.LinkTimes;
import dev.mover.transport.carrier.VersionRange;
import dev.mover.transport.link.BulkReceiver;
import dev.mover.transport.link.Host;
import dev.mover.transport.link.RepositoryAddress;
import dev.mover.transport.link.Slots;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import reactor.netty.resources.LoopResources;

/** The way a proxy gets to a repository's host. */
class NettyConnectorTest {
  private static final int COLLECTIONS = 20;

  private static RepositoryAddress address(String host, NettyMoverServer server) {
    return new RepositoryAddress(host, server.address().getPort());
  }

  private static void connect(RepositoryAddress address, LoopResources loops) {
    try (NettyConnector connector =
        new NettyConnector(address, LinkTimes.DEFAULT, VersionRange.OURS, loops)) {
      Objects.requireNonNull(connector.connect(BulkReceiver.NONE).block()).close();
    }
  }

  private static NettyMoverServer server() {
    return NettyMoverServer.bind("127.0.0.1", 0, new Host(new Slots(BlockSize.MIB_1, 2)));
  }

  /** A proxy's daemon makes one a job: what each leaves behind would grow for ever. */
  @Test
  void leavesNothingBehind() {
    NettyMoverServer server = server();
    WeakReference<LoopResources> loops = use(address("127.0.0.1", server));
    server.close();
    for (int i = 0; i < COLLECTIONS && loops.get() != null; i++) {
      System.gc();
    }
    assertThat(loops.get()).isNull();
  }

  /** Nor a descriptor: a process has 1,024 of them as a rule. */
  @Test
  void closesItsSockets() throws IOException {
    long before = sockets();
    NettyMoverServer server = server();
    for (int i = 0; i < 100; i++) {
      connect(address("127.0.0.1", server), Sockets.loops("mover-test"));
    }
    server.close();
    assertThat(sockets()).isEqualTo(before);
  }

  private static long sockets() throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.filter(NettyConnectorTest::isSocket).count();
    }
  }

  private static boolean isSocket(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
    } catch (IOException e) {
      return false; // closed meanwhile
    }
  }

  private static WeakReference<LoopResources> use(RepositoryAddress address) {
    LoopResources loops = Sockets.loops("mover-test");
    connect(address, loops);
    return new WeakReference<>(loops);
  }

  @Test
  void takesTheSystemsNames() {
    NettyMoverServer server = server();
    connect(address("localhost", server), Sockets.loops("mover-test"));
    server.close();
  }

  @Test
  void namesAHostThatIsNotThere() {
    RepositoryAddress address = new RepositoryAddress("no-such-host.invalid", 7700);
    assertThatThrownBy(() -> connect(address, Sockets.loops("mover-test")))
        .isInstanceOfSatisfying(
            LinkException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONNECT_FAILED))
        .hasMessageContaining("no-such-host.invalid");
  }
}
