package dev.mover.proxy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchRule;
import dev.mover.proxy.pipeline.PipelineWallsFixture;
import dev.mover.proxy.restore.RestoreWallsFixture;
import dev.mover.proxy.source.SourceWallsFixture;
import dev.mover.testkit.Walls;
import org.junit.jupiter.api.Test;

class ProxyWallsTest {
  private static final JavaClasses SHIPPED = Walls.shipped("dev.mover.proxy");

  @Test
  void sourcesKnowNothingOfWhereTheirBytesGo() {
    for (String other :
        new String[] {
          "dev.mover.transport..",
          "dev.mover.dedup..",
          "dev.mover.proxy.pipeline..",
          "dev.mover.proxy.restore..",
          "reactor.."
        }) {
      check(Walls.never("dev.mover.proxy.source..", other), SourceWallsFixture.class);
    }
  }

  @Test
  void backupDoesNotKnowRestoreNorAnySource() {
    for (String other : new String[] {"dev.mover.proxy.restore..", "dev.mover.proxy.source.."}) {
      check(Walls.never("dev.mover.proxy.pipeline..", other), PipelineWallsFixture.class);
    }
    check(
        Walls.never("dev.mover.proxy.restore..", "dev.mover.proxy.source.."),
        RestoreWallsFixture.class);
  }

  @Test
  void theLinkIsKnownByItsFaceOnly() {
    for (String carrier :
        new String[] {
          "dev.mover.transport.netty..",
          "dev.mover.transport.inprocess..",
          "dev.mover.transport.carrier.."
        }) {
      check(Walls.never("dev.mover.proxy..", carrier), PipelineWallsFixture.class);
    }
  }

  @Test
  void nativeCodecIsChosenInOnePlace() {
    check(
        Walls.onlyIn("dev.mover.dedup.codec.zstd..", "dev.mover.proxy"),
        PipelineWallsFixture.class);
    check(Walls.never("dev.mover.proxy..", "dev.mover.dedup.index.."), PipelineWallsFixture.class);
  }

  @Test
  void reactorIsWhereLinksAre() {
    check(
        Walls.onlyIn("reactor..", "dev.mover.proxy.pipeline", "dev.mover.proxy.restore"),
        SourceWallsFixture.class);
  }

  @Test
  void keepsTheHouseRules() {
    Walls.house().forEach(rule -> rule.check(SHIPPED));
  }

  private static void check(ArchRule rule, Class<?> fixture) {
    rule.check(SHIPPED);
    Walls.assertBreaks(rule, fixture);
  }
}
