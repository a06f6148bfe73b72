package dev.mover.repository;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchRule;
import dev.mover.dedup.codec.zstd.ZstdBlockCodec;
import dev.mover.repository.session.BackupSession;
import dev.mover.testkit.Walls;
import java.util.List;
import org.junit.jupiter.api.Test;

class WallsTest {
  private static final String ROOT = "dev.mover.repository";

  private static final List<ArchRule> RULES =
      List.of(
          Walls.never(ROOT + ".extent..", ROOT + ".file.."),
          Walls.never(ROOT + ".file..", ROOT + ".order.."),
          Walls.never(ROOT + ".commit..", ROOT + ".session.."),
          Walls.never(ROOT + ".session..", ROOT + ".serve.."),
          Walls.never(ROOT + ".serve..", ROOT + ".session.."),
          Walls.never(ROOT + ".session..", ROOT + ".removal.."),
          Walls.never(ROOT + ".serve..", ROOT + ".removal.."),
          Walls.never(ROOT + ".retention..", ROOT + ".removal.."),
          Walls.never(ROOT + "..", "dev.mover.proxy.."),
          Walls.never(ROOT + "..", "org.rocksdb.."),
          Walls.never(ROOT + "..", "io.netty.."));

  @Test
  void packagesKnowOnlyWhatTheyMay() {
    JavaClasses shipped = Walls.shipped(ROOT);
    RULES.forEach(rule -> rule.check(shipped));
    Walls.house().forEach(rule -> rule.check(shipped));
  }

  @Test
  void aRuleFailsWhereItIsBroken() {
    Walls.assertBreaks(Walls.never(ROOT + ".session..", ROOT + ".commit.."), BackupSession.class);
    Walls.assertBreaks(
        Walls.never(ROOT + "..", ZstdBlockCodec.class.getPackageName() + ".."), Repository.class);
  }
}
