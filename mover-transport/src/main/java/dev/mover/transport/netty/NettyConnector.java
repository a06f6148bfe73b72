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
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
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
  private final LoopResources loops = Sockets.loops("mover-client");

  public NettyConnector(String host, int port) {
    this(new RepositoryAddress(host, port), LinkTimes.DEFAULT, VersionRange.OURS);
  }

  NettyConnector(RepositoryAddress address, LinkTimes times, VersionRange versions) {
    this.address = address;
    this.times = times;
    this.versions = versions;
  }

  @Override
  public String address() {
    return address.toString();
  }

  @Override
  public Mono<FrameLink> connect(BulkReceiver receiver) {
    return TcpClient.newConnection()
        .host(address.host())
        .port(address.port())
        .runOn(loops, true)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) times.handshakeDeadlineMs())
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.RECVBUF_ALLOCATOR, Sockets.receiveBuffers())
        .connect()
        .onErrorMap(this::failed)
        .flatMap(connection -> greet(connection, receiver));
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

  /** Waits until the event loops have ended, at most a few seconds. */
  @Override
  public void close() {
    Sockets.end(loops);
  }
}
