package dev.mover.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.mover.api.block.BlockSize;
import dev.mover.api.point.Name;
import dev.mover.api.status.LoadLine;
import dev.mover.api.status.Stage;
import dev.mover.dedup.codec.Compression;
import dev.mover.proxy.BackupRequest;
import dev.mover.proxy.LinkRule;
import dev.mover.proxy.Progress;
import dev.mover.proxy.Proxy;
import dev.mover.proxy.ProxyOptions;
import dev.mover.repository.Repository;
import dev.mover.repository.RepositoryLimits;
import dev.mover.repository.RepositoryOptions;
import dev.mover.testkit.DiskImages;
import dev.mover.transport.inprocess.InProcessConnector;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The load line says the truth: with one stage made slow on purpose it names that one, and what it
 * predicts as the next limit is what is measured when the first is lifted. A second, milder limit
 * makes that next limit a known one, and not the noise of the machine.
 */
@Timeout(120)
class LoadLineTest {
  private static final int MB = 1_000_000;
  private static final int SLOW_MBPS = 24;
  private static final int MILD_MBPS = 48;

  /** Three to six seconds: what passes at once at a limit (100 ms) is little of it. */
  private static final long BYTES = 144 << 20;

  /** The claim of the load line; measured it is 2 to 6 % off. */
  private static final double PERCENT = 15;

  @TempDir private Path folder = Path.of("");

  /** What a run has to go through; 0 is no limit. */
  private record Way(
      double sourceBytesPerSec,
      int workers,
      Compression compression,
      int linkMbps,
      int extentMbps) {
    static final Way FREE = new Way(0, 2, Compression.NONE, 0, 0);

    Way source(double bytesPerSec) {
      return new Way(bytesPerSec, workers, compression, linkMbps, extentMbps);
    }

    Way cpu(int count, Compression how) {
      return new Way(sourceBytesPerSec, count, how, linkMbps, extentMbps);
    }

    Way link(int mbps) {
      return new Way(sourceBytesPerSec, workers, compression, mbps, extentMbps);
    }

    Way extent(int mbps) {
      return new Way(sourceBytesPerSec, workers, compression, linkMbps, mbps);
    }
  }

  private LoadLine run(Way way, long bytes, byte[] sample) throws IOException {
    List<LinkRule> rules =
        way.linkMbps == 0 ? List.of() : List.of(LinkRule.always("*", way.linkMbps));
    Path directory = Files.createTempDirectory(folder, "repository");
    try (Repository repository = Repository.open(directory, RepositoryOptions.DEFAULT);
        Proxy proxy = new Proxy(new ProxyOptions(1, way.workers, rules))) {
      repository.limit(new RepositoryLimits(1, 0, way.extentMbps, 0));
      return proxy
          .backup(
              new BackupRequest(
                  new Name("machine"),
                  List.of(new PacedSource(bytes, sample, way.sourceBytesPerSec)),
                  BlockSize.KIB_512,
                  way.compression),
              new InProcessConnector(repository.links()),
              Progress.Listener.NONE)
          .load();
    }
  }

  private void assertForesees(Way slow, Stage bottleneck, Stage next, Way lifted, byte[] sample)
      throws IOException {
    LoadLine before = run(slow, BYTES, sample);
    assertThat(before.bottleneck()).as("bottleneck of %s", before).isEqualTo(bottleneck);
    assertThat(before.nextLimit()).as("next limit of %s", before).isEqualTo(next);
    LoadLine after = run(lifted, BYTES, sample);
    assertThat(after.bottleneck()).as("bottleneck of %s", after).isEqualTo(next);
    assertThat(before.nextLimitBytesPerSec())
        .as("%s at %.0f MB/s, then %s", before, before.rateBytesPerSec() / MB, after)
        .isCloseTo(after.rateBytesPerSec(), withinPercentage(PERCENT));
  }

  private static byte[] noise() {
    byte[] noise = new byte[1 << 20];
    new java.util.SplittableRandom(1).nextBytes(noise);
    return noise;
  }

  @Test
  void slowSource() throws IOException {
    Way lifted = Way.FREE.extent(MILD_MBPS);
    assertForesees(lifted.source(SLOW_MBPS * MB), Stage.SOURCE, Stage.TARGET, lifted, noise());
  }

  @Test
  void limitedLink() throws IOException {
    Way lifted = Way.FREE.extent(MILD_MBPS);
    assertForesees(lifted.link(SLOW_MBPS), Stage.NETWORK, Stage.TARGET, lifted, noise());
  }

  @Test
  void limitedExtent() throws IOException {
    Way lifted = Way.FREE.link(MILD_MBPS);
    assertForesees(lifted.extent(SLOW_MBPS), Stage.TARGET, Stage.NETWORK, lifted, noise());
  }

  /** One thread that packs as tightly as it can; the mild limit is three times what it manages. */
  @Test
  void throttledCpu() throws IOException {
    byte[] sample = DiskImages.bytes(4 << 20, 3);
    Way throttled = Way.FREE.cpu(1, Compression.EXTREME);
    double alone = run(throttled, 24 << 20, sample).rateBytesPerSec();
    Way lifted = Way.FREE.cpu(2, Compression.FAST).source(3 * alone);
    assertForesees(throttled.source(3 * alone), Stage.PROXY, Stage.SOURCE, lifted, sample);
  }
}
