package dev.mover.transport.netty;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import dev.mover.transport.carrier.Greeting;
import dev.mover.transport.carrier.LinkEnd;
import dev.mover.transport.carrier.LinkTimes;
import dev.mover.transport.carrier.VersionRange;
import dev.mover.transport.link.BulkReceiver;
import dev.mover.transport.link.FrameLink;
import dev.mover.transport.link.LinkConnector;
import dev.mover.transport.link.RepositoryAddress;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.resolver.NoopAddressResolverGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.netty.Connection;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.TcpClient;

/**
 * Connects to a repository over TCP. Owns two event loops, daemons, started with the first link and
 * ended by {@link #close}; close the links before.
 */
public final class NettyConnector implements LinkConnector, AutoCloseable {
  private final RepositoryAddress address;
  private final LinkTimes times;
  private final VersionRange versions;
  private final LoopResources loops;
  private final Set<Channel> channels = ConcurrentHashMap.newKeySet();

  public NettyConnector(String host, int port) {
    this(host, port, LinkTimes.DEFAULT);
  }

  /** As above, with other deadlines. */
  public NettyConnector(String host, int port, LinkTimes times) {
    this(new RepositoryAddress(host, port), times, VersionRange.OURS);
  }

  NettyConnector(RepositoryAddress address, LinkTimes times, VersionRange versions) {
    this(address, times, versions, Sockets.loops("mover-client"));
  }

  NettyConnector(
      RepositoryAddress address, LinkTimes times, VersionRange versions, LoopResources loops) {
    this.address = address;
    this.times = times;
    this.versions = versions;
    this.loops = loops;
  }

  @Override
  public String address() {
    return address.toString();
  }

  /**
   * Asks the system for the host's addresses, on the subscribing thread, and tries one after the
   * other. Netty's own resolver would not know all that the system does, and Reactor Netty keeps
   * one, with the loops it ran on, for every connector there ever was.
   */
  @Override
  public Mono<FrameLink> connect(BulkReceiver receiver) {
    return Mono.fromCallable(() -> List.of(InetAddress.getAllByName(address.host())))
        .flatMap(this::connect)
        .onErrorMap(this::failed)
        .flatMap(connection -> greet(connection, receiver));
  }

  private Mono<Connection> connect(List<InetAddress> candidates) {
    Mono<Connection> first = connect(candidates.getFirst());
    return candidates.size() == 1
        ? first
        : first.onErrorResume(_ -> connect(candidates.subList(1, candidates.size())));
  }

  private Mono<Connection> connect(InetAddress host) {
    return TcpClient.newConnection()
        .resolver(NoopAddressResolverGroup.INSTANCE)
        .remoteAddress(() -> new InetSocketAddress(host, address.port()))
        .runOn(loops, true)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) times.handshakeDeadlineMs())
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.RECVBUF_ALLOCATOR, Sockets.receiveBuffers())
        .doOnConnected(connection -> hold(connection.channel()))
        .connect()
        .cast(Connection.class);
  }

  private void hold(Channel channel) {
    channels.add(channel);
    channel.closeFuture().addListener(_ -> channels.remove(channel));
  }

  private Mono<FrameLink> greet(Connection connection, BulkReceiver receiver) {
    return Mono.create(
        sink -> {
          EventLoop loop = connection.channel().eventLoop();
          if (loop.inEventLoop()) {
            greet(connection, receiver, sink); // before anything is read: an ERROR may come at once
          } else {
            loop.execute(() -> greet(connection, receiver, sink));
          }
        });
  }

  private void greet(Connection connection, BulkReceiver receiver, MonoSink<FrameLink> sink) {
    Greeting.OfClient greeting = new Greeting.OfClient(versions, receiver, sink);
    try {
      LinkEnd end = NettyCarrier.attach(connection, greeting, times);
      sink.onCancel(() -> connection.channel().eventLoop().execute(end::cancelled));
      end.send(greeting.hello());
    } catch (RuntimeException e) {
      connection.dispose();
      sink.error(failed(e)); // it was closed before it was ours
    }
  }

  private LinkException failed(Throwable cause) {
    return new LinkException(
        ErrorCode.CONNECT_FAILED,
        "cannot connect to %s (%s); is the repository running there, and may this host reach it?"
            .formatted(address, cause.getMessage()),
        cause);
  }

  /**
   * Waits until its connections are closed and the event loops have ended, a few seconds at most. A
   * loop that ends before a connection on it is closed would leave the socket open.
   */
  @Override
  public void close() {
    for (Channel channel : channels) {
      if (!channel.closeFuture().awaitUninterruptibly(times.lingerMs())) {
        channel.close().awaitUninterruptibly(times.lingerMs());
      }
    }
    Sockets.end(loops);
  }
}
