package dev.mover.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.MoverException;
import dev.mover.api.point.DiskSpec;
import dev.mover.api.point.Name;
import dev.mover.dedup.codec.Compression;
import dev.mover.testkit.Seeds;
import dev.mover.transport.inprocess.InProcessConnector;
import dev.mover.transport.inprocess.LinkWeather;
import dev.mover.transport.inprocess.LinkWeather.Direction;
import dev.mover.transport.inprocess.OneLoss;
import dev.mover.transport.link.LinkConnector;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The link may break at any frame: a run then ends with an error, or it was whole before. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StormTest {
  private static final Name MACHINE = new Name("m");
  private static final byte[] NOISE = MemorySource.noise(1_300_000, 1);
  private static final byte[] HALF_ZERO = halfZero();

  @TempDir Path dir;
  private final Proxy proxy = new Proxy(new ProxyOptions(2, 2));

  @AfterEach
  void close() {
    proxy.close();
  }

  @ParameterizedTest
  @EnumSource(Direction.class)
  void aBackupEndsWhereverTheLinkBreaks(Direction direction) throws Exception {
    int broken = 0;
    for (long frame = 0; ; frame++) {
      ModelRepository repository = new ModelRepository();
      OneLoss weather = new OneLoss(direction, frame);
      boolean whole = backsUp(new InProcessConnector(repository, weather));
      repository.awaitIdle();
      assertThat(repository.pool.leasedBytes()).isZero();
      // The repository may have committed what the proxy could not hear of; never the reverse.
      assertThat(!whole || repository.pointsOf(MACHINE) == 1).isTrue();
      assertThat(backsUp(new InProcessConnector(repository))).as("the next run").isTrue();
      repository.awaitIdle();
      repository.pool.close();
      if (!weather.hasLost()) {
        assertThat(whole).isTrue();
        break;
      }
      broken++;
    }
    assertThat(broken).isGreaterThan(15);
  }

  @ParameterizedTest
  @EnumSource(Direction.class)
  void aRestoreEndsWhereverTheLinkBreaks(Direction direction) throws Exception {
    ModelRepository repository = new ModelRepository();
    assertThat(backsUp(new InProcessConnector(repository))).isTrue();
    int broken = 0;
    for (long frame = 0; ; frame++) {
      OneLoss weather = new OneLoss(direction, frame);
      boolean whole = restores(new InProcessConnector(repository, weather));
      assertThat(proxy.leasedBytes()).isZero();
      if (!weather.hasLost()) {
        assertThat(whole).isTrue();
        break;
      }
      broken++;
    }
    assertThat(broken).isGreaterThan(5);
    repository.awaitIdle();
    repository.pool.close();
  }

  @Test
  void aSlowLinkChangesNothing() {
    Seeds.check(
        6,
        random -> {
          ModelRepository repository = new ModelRepository();
          repository.creditFrames = 2 + random.nextInt(3);
          repository.slots = 1 + random.nextInt(3);
          LinkWeather weather = LinkWeather.delays(random.nextLong(), random.nextInt(4000));
          LinkConnector connector = new InProcessConnector(repository, weather);
          assertThat(backsUp(connector)).isTrue();
          assertThat(restores(connector)).isTrue();
          repository.awaitIdle();
          repository.pool.close();
        });
  }

  /** True when the point is whole; false when the run ended with an error. */
  private boolean backsUp(LinkConnector connector) {
    List<MemorySource> disks =
        List.of(disk("noise", NOISE), disk("half", HALF_ZERO), disk("again", NOISE));
    boolean whole;
    try {
      BackupResult result =
          proxy.backup(
              new BackupRequest(MACHINE, List.copyOf(disks), BlockSize.KIB_256, Compression.FAST),
              connector,
              Progress.Listener.NONE);
      whole = result.sequence() >= 1;
    } catch (MoverException e) {
      whole = false;
    }
    assertThat(disks).allMatch(disk -> disk.closed);
    assertThat(proxy.leasedBytes()).isZero();
    return whole;
  }

  /** True when the disk is whole; false when the restore ended with an error and left no file. */
  private boolean restores(LinkConnector connector) throws IOException {
    Path target = dir.resolve("half.raw");
    try {
      proxy.restore(
          new RestoreRequest(MACHINE, 0, Optional.of(new Name("half")), target, false),
          connector,
          Progress.Listener.NONE);
      assertThat(Files.readAllBytes(target)).isEqualTo(HALF_ZERO);
      Files.delete(target);
      return true;
    } catch (MoverException e) {
      assertThat(target).doesNotExist();
      return false;
    }
  }

  private static MemorySource disk(String name, byte[] content) {
    return new MemorySource(new DiskSpec(new Name(name), content.length, 512), content);
  }

  private static byte[] halfZero() {
    byte[] content = MemorySource.noise(1_400_001, 2);
    Arrays.fill(content, 300_000, 900_000, (byte) 0);
    return content;
  }
}
