package dev.mover.transport.netty;

import dev.mover.transport.carrier.LinkTimes;
import dev.mover.transport.carrier.VersionRange;
import dev.mover.transport.link.FrameLinkContract;
import dev.mover.transport.link.LinkConnector;
import dev.mover.transport.link.LinkServer;
import dev.mover.transport.link.RepositoryAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

class NettyLinkTest extends FrameLinkContract {
  private final List<NettyMoverServer> servers = new ArrayList<>();
  private final List<NettyConnector> connectors = new ArrayList<>();

  @Override
  protected LinkConnector connector(LinkServer server, VersionRange versions) {
    NettyMoverServer bound = NettyMoverServer.bind("127.0.0.1", 0, server);
    servers.add(bound);
    RepositoryAddress address = new RepositoryAddress("127.0.0.1", bound.address().getPort());
    NettyConnector connector = new NettyConnector(address, LinkTimes.DEFAULT, versions);
    connectors.add(connector);
    return connector;
  }

  @AfterEach
  void closeAll() {
    servers.forEach(NettyMoverServer::close);
    connectors.forEach(NettyConnector::close);
  }
}
