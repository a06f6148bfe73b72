package dev.mover.transport.inprocess;

import dev.mover.transport.carrier.Greeting;
import dev.mover.transport.carrier.LinkTimes;
import dev.mover.transport.carrier.VersionRange;
import dev.mover.transport.inprocess.LinkWeather.Direction;
import dev.mover.transport.link.BulkReceiver;
import dev.mover.transport.link.FrameLink;
import dev.mover.transport.link.LinkConnector;
import dev.mover.transport.link.LinkServer;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * Connects to a repository in the same process. Every link has two threads, one a direction, that
 * end with it. Nothing else is kept, so there is nothing to close here.
 */
public final class InProcessConnector implements LinkConnector {
  private final LinkServer server;
  private final LinkWeather weather;
  private final VersionRange versions;

  public InProcessConnector(LinkServer server) {
    this(server, LinkWeather.FAIR);
  }

  /**
   * @param weather asked for every frame of every link
   */
  public InProcessConnector(LinkServer server, LinkWeather weather) {
    this(server, weather, VersionRange.OURS);
  }

  InProcessConnector(LinkServer server, LinkWeather weather, VersionRange versions) {
    this.server = server;
    this.weather = weather;
    this.versions = versions;
  }

  @Override
  public String address() {
    return "in process";
  }

  @Override
  public Mono<FrameLink> connect(BulkReceiver receiver) {
    return Mono.create(sink -> connect(receiver, sink));
  }

  private void connect(BulkReceiver receiver, MonoSink<FrameLink> sink) {
    Greeting.OfClient client = new Greeting.OfClient(versions, receiver, sink);
    Greeting.OfServer host = new Greeting.OfServer(VersionRange.OURS, server);
    InProcessEnd proxy =
        new InProcessEnd("repository in process", Direction.TO_REPOSITORY, client, weather);
    InProcessEnd repository =
        new InProcessEnd("proxy in process", Direction.TO_PROXY, host, weather);
    InProcessEnd.join(proxy, repository);
    proxy.greetWithin(LinkTimes.DEFAULT.handshakeDeadlineMs());
    repository.greetWithin(LinkTimes.DEFAULT.handshakeDeadlineMs());
    sink.onCancel(proxy::cancel);
    proxy.write(client.hello());
  }
}
