package dev.mover.transport.inprocess;

import dev.mover.transport.carrier.VersionRange;
import dev.mover.transport.link.FrameLinkContract;
import dev.mover.transport.link.LinkConnector;
import dev.mover.transport.link.LinkServer;

class InProcessLinkTest extends FrameLinkContract {
  @Override
  protected LinkConnector connector(LinkServer server, VersionRange versions) {
    return new InProcessConnector(server, LinkWeather.FAIR, versions);
  }
}
