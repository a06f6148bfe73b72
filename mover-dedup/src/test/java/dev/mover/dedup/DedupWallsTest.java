package dev.mover.dedup;

import com.github.luben.zstd.Zstd;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchRule;
import dev.mover.dedup.index.BlockIndex;
import dev.mover.testkit.Walls;
import org.bouncycastle.crypto.hpke.HPKE;
import org.junit.jupiter.api.Test;
import org.rocksdb.RocksDB;

class DedupWallsTest {
  private static final JavaClasses SHIPPED = Walls.shipped("dev.mover.dedup");

  private static final ArchRule ROCKS_HOME =
      Walls.onlyIn("org.rocksdb..", "dev.mover.dedup.index.rocks");
  private static final ArchRule ZSTD_HOME =
      Walls.onlyIn("com.github.luben..", "dev.mover.dedup.codec.zstd");
  private static final ArchRule BC_HOME =
      Walls.onlyIn("org.bouncycastle..", "dev.mover.dedup.cipher.bc");
  private static final ArchRule PORTS_FIRST =
      Walls.never("dev.mover.dedup.index", "dev.mover.dedup.index.rocks");
  private static final ArchRule NO_TRANSPORT = Walls.never("dev.mover..", "dev.mover.transport..");

  @Test
  void keepsRocksInItsPackage() {
    ROCKS_HOME.check(SHIPPED);
    Walls.assertBreaks(ROCKS_HOME, RocksFixture.class);
  }

  @Test
  void keepsZstdInItsPackage() {
    ZSTD_HOME.check(SHIPPED);
    Walls.assertBreaks(ZSTD_HOME, ZstdFixture.class);
  }

  @Test
  void keepsBouncyCastleInItsPackage() {
    BC_HOME.check(SHIPPED);
    Walls.assertBreaks(BC_HOME, BouncyCastleFixture.class);
  }

  @Test
  void keepsPortsFreeOfTheirAdapters() {
    PORTS_FIRST.check(SHIPPED);
    Walls.never("dev.mover.dedup.codec", "dev.mover.dedup.codec.zstd").check(SHIPPED);
    Walls.assertBreaks(Walls.never("dev.mover.dedup", "dev.mover.dedup.index"), PortFixture.class);
  }

  @Test
  void knowsNeitherTransportNorDaemons() {
    NO_TRANSPORT.check(SHIPPED);
    for (String other :
        new String[] {"dev.mover.proxy..", "dev.mover.repository..", "io.netty..", "reactor.."}) {
      Walls.never("dev.mover.dedup..", other).check(SHIPPED);
    }
  }

  @Test
  void keepsTheHouseRules() {
    Walls.house().forEach(rule -> rule.check(SHIPPED));
  }

  static final class BouncyCastleFixture {
    Object use() {
      return new HPKE((byte) 0, (short) 0, (short) 0, (short) 0);
    }
  }

  static final class RocksFixture {
    void use() {
      RocksDB.loadLibrary();
    }
  }

  static final class ZstdFixture {
    int use() {
      return Zstd.defaultCompressionLevel();
    }
  }

  static final class PortFixture {
    long use(BlockIndex index) {
      return index.estimatedCount();
    }
  }
}
