package dev.mover.transport;

import com.tngtech.archunit.core.domain.JavaClasses;
import dev.mover.testkit.Walls;
import dev.mover.transport.http.HttpEndpoint;
import dev.mover.transport.link.FrameLink;
import dev.mover.transport.netty.NettyMoverServer;
import org.junit.jupiter.api.Test;

/** Which package of the transport may know what. */
class WallsOfTransportTest {
  private static final JavaClasses SHIPPED = Walls.shipped("dev.mover.transport");
  private static final String NETTY = "dev.mover.transport.netty";
  private static final String HTTP = "dev.mover.transport.http";

  @Test
  void keepsNettyInTwoPackages() {
    for (String library : new String[] {"io.netty..", "reactor.netty.."}) {
      Walls.onlyIn(library, NETTY, HTTP).check(SHIPPED);
      Walls.assertBreaks(Walls.onlyIn(library, HTTP), NettyMoverServer.class, outbound());
      Walls.assertBreaks(Walls.onlyIn("reactor.netty..", NETTY), HttpEndpoint.class);
    }
  }

  @Test
  void keepsFramesFreeOfReactor() {
    Walls.never("dev.mover.transport.frame..", "reactor..").check(SHIPPED);
    Walls.assertBreaks(Walls.never("dev.mover.transport.link..", "reactor.."), FrameLink.class);
  }

  @Test
  void keepsTheTransportsApart() {
    Walls.never("dev.mover.transport.inprocess..", NETTY + "..").check(SHIPPED);
    Walls.never("dev.mover.transport.carrier..", NETTY + "..").check(SHIPPED);
    Walls.never("dev.mover.transport.carrier..", "dev.mover.transport.inprocess..").check(SHIPPED);
    Walls.never(NETTY + "..", "dev.mover.transport.inprocess..").check(SHIPPED);
    Walls.never("dev.mover.transport.link..", "dev.mover.transport.carrier..").check(SHIPPED);
    Walls.assertBreaks(
        Walls.never(NETTY + "..", "dev.mover.transport.carrier.."), NettyMoverServer.class);
  }

  @Test
  void knowsNoOtherModule() {
    for (String other :
        new String[] {"dev.mover.dedup..", "dev.mover.proxy..", "dev.mover.repository.."}) {
      Walls.never("dev.mover.transport..", other).check(SHIPPED);
    }
    Walls.assertBreaks(
        Walls.never("dev.mover.transport..", "dev.mover.api.."), NettyMoverServer.class);
  }

  @Test
  void keepsTheHouseRules() {
    Walls.house().forEach(rule -> rule.check(SHIPPED));
  }

  private static Class<?> outbound() {
    try {
      return Class.forName(NETTY + ".Outbound");
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }
}
