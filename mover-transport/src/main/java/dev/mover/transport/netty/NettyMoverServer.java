package dev.mover.transport.netty;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import dev.mover.api.error.RepositoryException;
import dev.mover.transport.carrier.Greeting;
import dev.mover.transport.carrier.LinkEnd;
import dev.mover.transport.carrier.LinkTimes;
import dev.mover.transport.carrier.VersionRange;
import dev.mover.transport.link.LinkServer;
import dev.mover.transport.link.ListenAddress;
import io.netty.channel.ChannelOption;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.netty.Connection;
import reactor.netty.DisposableServer;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.TcpServer;

/**
 * A repository's listening socket. Every connection that says HELLO becomes a session of the {@link
 * LinkServer}; one too many is told so. Owns its event loops.
 */
public final class NettyMoverServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(NettyMoverServer.class);

  /**
   * Each link costs two small heap arrays and a socket: 256 are about 10 MiB with their buffers.
   */
  public static final int DEFAULT_MAX_LINKS = 256;

  private static final Duration CLOSE_WITHIN = Duration.ofSeconds(8);

  /**
   * Connections that have not said HELLO yet: half of the room is not theirs. One more, and the
   * oldest of them goes, so that those who only connect can't keep others out.
   */
  static final int MAX_STRANGERS = 64;

  private final LinkServer server;
  private final int maxLinks;
  private final LinkTimes times;
  private final LoopResources loops = Sockets.loops("mover-server");
  private final Set<LinkEnd> links = ConcurrentHashMap.newKeySet();
  private final Queue<LinkEnd> strangers = new ArrayDeque<>();
  private volatile boolean closing;
  private @Nullable DisposableServer socket;

  private NettyMoverServer(LinkServer server, int maxLinks, LinkTimes times) {
    this.server = server;
    this.maxLinks = maxLinks;
    this.times = times;
  }

  /**
   * Listens on {@code host} and {@code port} (0: any free one). Blocks until it does.
   *
   * @throws dev.mover.api.error.LinkException PORT_IN_USE
   * @throws dev.mover.api.error.InputException BAD_ADDRESS
   */
  public static NettyMoverServer bind(String host, int port, LinkServer server) {
    return bind(host, port, server, DEFAULT_MAX_LINKS, LinkTimes.DEFAULT);
  }

  /**
   * As above, with other limits.
   *
   * @param maxLinks how many connections are served at a time
   */
  public static NettyMoverServer bind(
      String host, int port, LinkServer server, int maxLinks, LinkTimes times) {
    NettyMoverServer bound = new NettyMoverServer(server, maxLinks, times);
    try {
      bound.listen(new ListenAddress(host, port));
      return bound;
    } catch (RuntimeException e) {
      Sockets.end(bound.loops);
      throw e;
    }
  }

  /** Where it listens, with the port it really got. */
  public InetSocketAddress address() {
    return (InetSocketAddress) bound().address();
  }

  /** How many connections there are, greeted or not. */
  public int links() {
    return links.size();
  }

  /**
   * Stops listening, tells every client SHUTTING_DOWN, waits a few seconds for the links to end.
   */
  @Override
  public void close() {
    closing = true;
    bound().disposeNow(CLOSE_WITHIN);
    List<LinkEnd> left = List.copyOf(links);
    left.forEach(end -> end.close(shuttingDown()));
    try {
      Flux.fromIterable(left).flatMap(LinkEnd::onClose, maxLinks).blockLast(CLOSE_WITHIN);
    } catch (IllegalStateException e) {
      log.warn("{} links did not end in time and are cut", links.size());
    }
    Sockets.end(loops);
  }

  private void listen(ListenAddress address) {
    InetSocketAddress local = address.resolve();
    try {
      socket =
          TcpServer.create()
              .bindAddress(() -> local)
              .runOn(loops, true)
              .childOption(ChannelOption.TCP_NODELAY, true)
              .childOption(ChannelOption.RECVBUF_ALLOCATOR, Sockets.receiveBuffers())
              .doOnConnection(this::accept)
              .handle((_, out) -> out.neverComplete())
              .bindNow();
    } catch (RuntimeException e) {
      throw address.refused(e);
    }
  }

  /** On the connection's event loop, before anything is read. */
  private void accept(Connection connection) {
    LinkEnd end =
        NettyCarrier.attach(connection, new Greeting.OfServer(VersionRange.OURS, guarded()), times);
    links.add(end);
    connection.onDispose(() -> links.remove(end));
    if (closing) {
      end.broken(shuttingDown());
    } else {
      addStranger(end).ifPresent(oldest -> oldest.close(tooManyStrangers()));
    }
  }

  /** The server, which lets nobody in beyond the limit: told in place of WELCOME. */
  private LinkServer guarded() {
    return new LinkServer() {
      @Override
      public Session accept(String peer) {
        if (links.stream().filter(LinkEnd::open).count() >= maxLinks) {
          throw new RepositoryException(
              ErrorCode.REPOSITORY_BUSY,
              "the repository has %d links open, its limit; try again later".formatted(maxLinks));
        }
        return server.accept(peer);
      }

      @Override
      public Identity identity() {
        return server.identity();
      }
    };
  }

  /** Who has to go for it, if any. */
  private Optional<LinkEnd> addStranger(LinkEnd end) {
    synchronized (strangers) {
      strangers.removeIf(known -> known.open() || known.ended());
      strangers.add(end);
      return strangers.size() > MAX_STRANGERS ? Optional.of(strangers.remove()) : Optional.empty();
    }
  }

  private static LinkException tooManyStrangers() {
    return new LinkException(
        ErrorCode.DEADLINE_PASSED,
        "more than %d connections have not said HELLO; whoever connects must say it at once"
            .formatted(MAX_STRANGERS));
  }

  private static RepositoryException shuttingDown() {
    return new RepositoryException(
        ErrorCode.SHUTTING_DOWN, "the repository is shutting down; try again later");
  }

  private DisposableServer bound() {
    DisposableServer listening = socket;
    if (listening == null) {
      throw new IllegalStateException("not listening");
    }
    return listening;
  }
}
