package dev.mover.transport.inprocess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import dev.mover.testkit.Seeds;
import dev.mover.transport.carrier.VersionRange;
import dev.mover.transport.frame.BulkHeader;
import dev.mover.transport.frame.Checkpoint;
import dev.mover.transport.frame.TargetFigures;
import dev.mover.transport.inprocess.LinkWeather.Direction;
import dev.mover.transport.link.BulkReceiver;
import dev.mover.transport.link.Ear;
import dev.mover.transport.link.FrameLink;
import dev.mover.transport.link.FrameLinkContract;
import dev.mover.transport.link.Host;
import dev.mover.transport.link.LinkConnector;
import dev.mover.transport.link.LinkServer;
import dev.mover.transport.link.Slots;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Delays change nothing a user sees; a loss is seen on both sides. */
class InProcessLinkInBadWeatherTest extends FrameLinkContract {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @Override
  protected LinkConnector connector(LinkServer server, VersionRange versions) {
    return new InProcessConnector(server, LinkWeather.delays(42, 300), versions);
  }

  @Test
  void losesTheLinkAtAControlFrame() {
    Seeds.check(
        20,
        random -> {
          int at = random.nextInt(1, 50); // frame 0 is HELLO
          Host host = new Host(BulkReceiver.NONE);
          FrameLink link = connect(host, Direction.TO_REPOSITORY, at, BulkReceiver.NONE);
          Ear ear = Ear.on(link);
          for (int i = 1; i < 60; i++) {
            link.send(new Checkpoint(i, TargetFigures.NONE));
          }
          assertLost(ear.end());
          assertLost(host.guest(0).ear().end());
          link.onClose().block(PATIENCE);
          host.guest(0).link().onClose().block(PATIENCE);
        });
  }

  @Test
  void givesBackTheLentBufferWhenTheLinkIsLostInMidPayload() {
    Slots slots = new Slots(BlockSize.KIB_256, 4);
    Host host = new Host(slots);
    FrameLink link = connect(host, Direction.TO_REPOSITORY, 3, BulkReceiver.NONE);
    AtomicInteger released = new AtomicInteger();
    ByteBuffer payload = ByteBuffer.allocateDirect(100_000);
    for (int i = 0; i < 4; i++) {
      BulkHeader header = Slots.header(BulkHeader.Kind.BLOCK, i, payload);
      link.sendBulk(header, payload.duplicate(), released::incrementAndGet);
    }
    link.onClose().block(PATIENCE);
    slots.awaitDropped(1);
    assertThat(slots.arrived(2)).hasSize(2);
    assertThat(released).hasValue(4);
    assertThat(slots.lent()).isZero();
    assertLost(host.guest(0).ear().end());
  }

  @Test
  void failsToConnectWhenTheGreetingIsLost() {
    Host host = new Host(BulkReceiver.NONE);
    assertThatThrownBy(() -> connect(host, Direction.TO_PROXY, 0, BulkReceiver.NONE))
        .isInstanceOf(LinkException.class);
  }

  private static FrameLink connect(
      Host host, Direction direction, long lostFrame, BulkReceiver receiver) {
    LinkWeather weather = LinkWeather.FAIR.losing(direction, lostFrame);
    return Objects.requireNonNull(
        new InProcessConnector(host, weather).connect(receiver).block(PATIENCE));
  }

  private static void assertLost(@org.jspecify.annotations.Nullable Throwable error) {
    assertThat(error)
        .isInstanceOfSatisfying(
            LinkException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LINK_LOST));
  }
}
