package dev.mover.repository.link;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import dev.mover.repository.extent.Strand;
import dev.mover.repository.figures.Figures;
import dev.mover.transport.inprocess.InProcessConnector;
import dev.mover.transport.link.BulkReceiver;
import dev.mover.transport.link.FrameLink;
import dev.mover.transport.link.LinkConnector;
import dev.mover.transport.link.LinkServer;
import dev.mover.transport.netty.NettyConnector;
import dev.mover.transport.netty.NettyMoverServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What the log says of a failed link: nobody needs to read twice what he is told anyway. */
class LinkContextTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Logger logger = (Logger) LoggerFactory.getLogger(LinkContext.class);
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final CompletableFuture<FrameLink> served = new CompletableFuture<>();
  private final LinkServer server = _ -> new Serving();

  /** Keeps the repository's end of the link. */
  private final class Serving implements LinkServer.Session {
    @Override
    public BulkReceiver receiver() {
      return BulkReceiver.NONE;
    }

    @Override
    public void start(FrameLink link) {
      served.complete(link);
    }
  }

  @BeforeEach
  void listen() {
    logger.setLevel(Level.INFO);
    log.start();
    logger.addAppender(log);
  }

  @AfterEach
  void restore() {
    logger.detachAppender(log);
    logger.setLevel(null);
  }

  @Test
  void warnsOfTheFailureOfALinkToAnotherProcess() {
    assertThat(levelOf(ErrorCode.REPOSITORY_FULL, overTcp())).isEqualTo(Level.WARN);
  }

  @Test
  void onlyMentionsWhatThisProcessIsToldByTheOtherEnd() {
    assertThat(levelOf(ErrorCode.REPOSITORY_FULL, inProcess())).isEqualTo(Level.INFO);
  }

  @Test
  void onlyMentionsThatItShutsDown() {
    assertThat(levelOf(ErrorCode.SHUTTING_DOWN, overTcp())).isEqualTo(Level.INFO);
  }

  private Runnable inProcess() {
    FrameLink proxy = connect(new InProcessConnector(server));
    return proxy::close;
  }

  private Runnable overTcp() {
    NettyMoverServer host = NettyMoverServer.bind("127.0.0.1", 0, server);
    NettyConnector connector = new NettyConnector("127.0.0.1", host.address().getPort());
    FrameLink proxy = connect(connector);
    return () -> {
      proxy.close();
      connector.close();
      host.close();
    };
  }

  private static FrameLink connect(LinkConnector connector) {
    return requireNonNull(connector.connect(BulkReceiver.NONE).block(PATIENCE));
  }

  private Level levelOf(ErrorCode code, Runnable end) {
    try {
      LinkContext context =
          new LinkContext(
              served.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join(),
              new Strand(Runnable::run),
              new Figures());
      context.fail(MoverException.of(code, Side.REPOSITORY, "why"));
      context.fail(MoverException.of(ErrorCode.INTERNAL, Side.REPOSITORY, "and then"));
      assertThat(log.list).hasSize(1);
      assertThat(log.list.getFirst().getFormattedMessage()).contains("why").contains(code.name());
      return log.list.getFirst().getLevel();
    } finally {
      end.run();
    }
  }
}
