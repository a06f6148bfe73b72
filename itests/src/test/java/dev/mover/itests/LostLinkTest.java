package dev.mover.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import dev.mover.api.error.MoverException;
import dev.mover.api.point.Name;
import dev.mover.api.point.Verdict;
import dev.mover.api.source.DiskSource;
import dev.mover.dedup.codec.Compression;
import dev.mover.itests.BrokenPipe.Break;
import dev.mover.itests.BrokenPipe.How;
import dev.mover.proxy.BackupRequest;
import dev.mover.proxy.BackupResult;
import dev.mover.proxy.Cancellation;
import dev.mover.proxy.LinkPatience;
import dev.mover.proxy.Progress;
import dev.mover.proxy.Proxy;
import dev.mover.proxy.ProxyOptions;
import dev.mover.proxy.RestoreRequest;
import dev.mover.proxy.source.DirectSource;
import dev.mover.repository.Repository;
import dev.mover.repository.RepositoryOptions;
import dev.mover.testkit.DiskImages;
import dev.mover.testkit.Seeds;
import dev.mover.transport.carrier.LinkTimes;
import dev.mover.transport.inprocess.InProcessConnector;
import dev.mover.transport.inprocess.LinkWeather;
import dev.mover.transport.link.BulkReceiver;
import dev.mover.transport.link.FrameLink;
import dev.mover.transport.link.LinkConnector;
import dev.mover.transport.netty.NettyConnector;
import dev.mover.transport.netty.NettyMoverServer;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;

/** A session outlives its links: one point comes of it, and it is whole. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LostLinkTest {
  private static final Name MACHINE = new Name("m");
  private static final LinkPatience QUICK =
      new LinkPatience(Duration.ofMillis(5), Duration.ofSeconds(60));

  @TempDir Path dir;

  /** Loses links at random frames, so many times in all, and counts them. */
  private static final class Storm implements LinkWeather {
    private final SplittableRandom random;
    private final int most;
    private final int oneIn;
    private final long maxDelayMicros;
    final AtomicInteger lost = new AtomicInteger();

    Storm(RandomGenerator seeds, int most, int oneIn, long maxDelayMicros) {
      this.random = new SplittableRandom(seeds.nextLong());
      this.most = most;
      this.oneIn = oneIn;
      this.maxDelayMicros = maxDelayMicros;
    }

    @Override
    public synchronized long delayMicros(Direction direction, long frame) {
      return random.nextLong(maxDelayMicros + 1);
    }

    @Override
    public synchronized boolean loses(Direction direction, long frame) {
      if (lost.get() < most && random.nextInt(oneIn) == 0) {
        lost.incrementAndGet();
        return true;
      }
      return false;
    }
  }

  @Test
  void aBackupThroughManyLostLinksMakesOnePointThatIsWhole() {
    AtomicInteger losses = new AtomicInteger();
    Seeds.check(
        20,
        random -> {
          Path folder = Files.createTempDirectory(dir, "run");
          losses.addAndGet(run(folder, random));
        });
    assertThat(losses.get()).isGreaterThan(20);
  }

  private static int run(Path folder, RandomGenerator random) throws IOException {
    int disks = 1 + random.nextInt(3);
    List<Path> images = new ArrayList<>();
    for (int i = 0; i < disks; i++) {
      Path image = folder.resolve("d" + i + ".raw");
      DiskImages.create(image, random.nextLong(12L << 20), random.nextLong());
      images.add(image);
    }
    RepositoryOptions options =
        RepositoryOptions.DEFAULT.withMaxConcurrentTasks(1 + random.nextInt(3));
    Storm storm =
        new Storm(random, 1 + random.nextInt(8), 4 + random.nextInt(60), random.nextInt(1000));
    try (Proxy proxy =
            new Proxy(new ProxyOptions(1 + random.nextInt(3), 2), Clock.systemUTC(), QUICK);
        Repository repository = Repository.open(folder.resolve("repository"), options)) {
      for (int point = 1; point <= 2; point++) {
        for (Path image : images) {
          DiskImages.change(image, random.nextInt(4), random.nextLong());
        }
        BackupResult result = backUp(proxy, repository, storm, images);
        assertThat(result.sequence()).isEqualTo(point);
        InProcessConnector calm = new InProcessConnector(repository.links());
        Verdicts verdicts = new Verdicts();
        proxy.verify("", 0, true, calm, verdicts);
        assertThat(verdicts.list()).hasSize(point);
        assertThat(verdicts.list()).allMatch(v -> v.outcome() == Verdict.Outcome.SOUND);
        for (int i = 0; i < disks; i++) {
          Path target = folder.resolve("restored-" + point + "-" + i);
          proxy.restore(
              new RestoreRequest(MACHINE, point, Optional.of(new Name("d" + i)), target, false),
              calm,
              Progress.Listener.NONE);
          assertThat(Files.mismatch(target, images.get(i))).isEqualTo(-1);
        }
      }
      assertThat(repository.status().sessions()).isZero();
      assertThat(proxy.leasedBytes()).isZero();
    }
    return storm.lost.get();
  }

  /** The first link can't be lost before there is a session: then the run just fails. */
  private static BackupResult backUp(
      Proxy proxy, Repository repository, Storm storm, List<Path> images) {
    List<DiskSource> sources = new ArrayList<>();
    for (int i = 0; i < images.size(); i++) {
      sources.add(DirectSource.open(new Name("d" + i), images.get(i)));
    }
    LinkWeather weather =
        new LinkWeather() {
          @Override
          public long delayMicros(Direction direction, long frame) {
            return storm.delayMicros(direction, frame);
          }

          @Override
          public boolean loses(Direction direction, long frame) {
            return frame > 0 && storm.loses(direction, frame);
          }
        };
    return proxy.backup(
        new BackupRequest(MACHINE, sources, BlockSize.KIB_256, Compression.OPTIMAL),
        new InProcessConnector(repository.links(), weather),
        Progress.Listener.NONE);
  }

  /** Every kind of break, in mid-frame as the bytes come: over real sockets. */
  @Test
  void aBackupOverTcpGoesOnAfterEveryKindOfBreak() throws Exception {
    goesOnAfter(
        LinkTimes.DEFAULT,
        List.of(
            new Break(How.RESET, 3_000_001),
            new Break(How.HALF_OPEN, 2_345_678),
            new Break(How.CLOSE, 4_111_111),
            new Break(How.CLOSE, 40),
            new Break(How.HALF_OPEN, 1_000_003)));
  }

  /** Whoever hears nothing gives the link up, and the other side hears that, or nothing either. */
  @Test
  void aBackupOverTcpGoesOnAfterSilenceInEitherDirection() throws Exception {
    goesOnAfter(
        new LinkTimes(10_000, 200, 1_000, 500),
        List.of(
            new Break(How.DEAF, 3_000_001),
            new Break(How.MUTE, 2_345_678),
            new Break(How.MUTE, 40),
            new Break(How.DEAF, 1_000_003)));
  }

  private void goesOnAfter(LinkTimes times, List<Break> breaks) throws Exception {
    Path image = dir.resolve("d0.raw");
    byte[] noise = new byte[24 << 20];
    new SplittableRandom(1).nextBytes(noise);
    Files.write(image, noise);
    String here = InetAddress.getLoopbackAddress().getHostAddress();
    try (Repository repository =
            Repository.open(dir.resolve("repository"), RepositoryOptions.DEFAULT);
        NettyMoverServer server =
            NettyMoverServer.bind(
                here, 0, repository.links(), NettyMoverServer.DEFAULT_MAX_LINKS, times);
        BrokenPipe pipe = BrokenPipe.to(server.address(), breaks);
        NettyConnector connector = new NettyConnector(here, pipe.port(), times);
        Proxy proxy = new Proxy(new ProxyOptions(2, 2), Clock.systemUTC(), QUICK)) {
      BackupResult result =
          proxy.backup(
              new BackupRequest(
                  MACHINE,
                  List.of(DirectSource.open(new Name("d0"), image)),
                  BlockSize.KIB_256,
                  Compression.NONE),
              connector,
              Progress.Listener.NONE);
      assertThat(result.sequence()).isEqualTo(1);
      assertThat(pipe.connections()).isGreaterThan(breaks.size());
      Path target = dir.resolve("restored");
      proxy.restore(
          new RestoreRequest(MACHINE, 1, Optional.of(new Name("d0")), target, false),
          connector,
          Progress.Listener.NONE);
      assertThat(Files.mismatch(target, image)).isEqualTo(-1);
      assertThat(repository.points("", "", 0, 9)).hasSize(1);
    }
  }

  /** Reaches a repository once, and then not for so many times. */
  private static LinkConnector unreachable(Repository repository, int times) {
    LinkConnector first =
        new InProcessConnector(
            repository.links(), LinkWeather.FAIR.losing(LinkWeather.Direction.TO_PROXY, 4));
    LinkConnector later = new InProcessConnector(repository.links());
    AtomicInteger asked = new AtomicInteger();
    return new LinkConnector() {
      @Override
      public Mono<FrameLink> connect(BulkReceiver receiver) {
        int number = asked.getAndIncrement();
        if (number == 0) {
          return first.connect(receiver);
        }
        return number <= times
            ? Mono.error(new LinkException(ErrorCode.CONNECT_FAILED, "nobody is there"))
            : later.connect(receiver);
      }

      @Override
      public String address() {
        return "mover://far";
      }
    };
  }

  private BackupRequest noise() throws IOException {
    Path image = dir.resolve("noise.raw");
    byte[] noise = new byte[4 << 20];
    new SplittableRandom(1).nextBytes(noise);
    Files.write(image, noise);
    return new BackupRequest(
        MACHINE,
        List.of(DirectSource.open(new Name("d0"), image)),
        BlockSize.KIB_256,
        Compression.NONE);
  }

  @Test
  void saysThatTheLinkIsLostAndHowOftenItWasTried() throws Exception {
    Set<String> details = ConcurrentHashMap.newKeySet();
    LinkPatience patience = new LinkPatience(Duration.ofMillis(300), Duration.ofSeconds(60));
    try (Repository repository =
            Repository.open(dir.resolve("repository"), RepositoryOptions.DEFAULT);
        Proxy proxy = new Proxy(new ProxyOptions(1, 2), Clock.systemUTC(), patience)) {
      proxy.backup(noise(), unreachable(repository, 3), p -> details.add(p.detail()));
      assertThat(details).anyMatch(d -> d.startsWith("link lost, trying again (3rd time, 0 s)"));
      assertThat(repository.points("", "", 0, 9)).hasSize(1);
    }
  }

  @Test
  void givesUpWhenPatienceEndsAndTheNextRunTakesOver() throws Exception {
    LinkPatience patience = new LinkPatience(Duration.ofMillis(10), Duration.ofMillis(100));
    try (Repository repository =
            Repository.open(dir.resolve("repository"), RepositoryOptions.DEFAULT);
        Proxy proxy = new Proxy(new ProxyOptions(1, 2), Clock.systemUTC(), patience)) {
      assertThatThrownBy(
              () ->
                  proxy.backup(
                      noise(), unreachable(repository, Integer.MAX_VALUE), Progress.Listener.NONE))
          .isInstanceOfSatisfying(
              MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LINK_LOST))
          .hasMessageContaining("mover://far")
          .hasMessageContaining("nobody is there")
          .hasMessageContaining("run again");
      assertThat(proxy.leasedBytes()).isZero();
      assertThat(repository.sessions())
          .singleElement()
          .satisfies(session -> assertThat(session.state()).isEqualTo("away"));
      BackupResult next =
          proxy.backup(noise(), new InProcessConnector(repository.links()), Progress.Listener.NONE);
      assertThat(next.sequence()).isEqualTo(1);
    }
  }

  /** Cancels a run that has tried three times to come back, which then can or can't. */
  private void cancelWhileLost(Repository repository, int unreachable) throws IOException {
    LinkPatience patience = new LinkPatience(Duration.ofMillis(20), Duration.ofSeconds(60));
    Cancellation cancellation = new Cancellation();
    AtomicInteger tries = new AtomicInteger();
    LinkConnector far = unreachable(repository, unreachable);
    LinkConnector cancelling =
        new LinkConnector() {
          @Override
          public Mono<FrameLink> connect(BulkReceiver receiver) {
            if (tries.incrementAndGet() == 4) {
              cancellation.cancel();
            }
            return far.connect(receiver);
          }

          @Override
          public String address() {
            return far.address();
          }
        };
    try (Proxy proxy = new Proxy(new ProxyOptions(1, 2), Clock.systemUTC(), patience)) {
      assertThatThrownBy(
              () -> proxy.backup(noise(), cancelling, Progress.Listener.NONE, cancellation))
          .isInstanceOfSatisfying(
              MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CANCELLED));
      assertThat(proxy.leasedBytes()).isZero();
    }
    assertThat(tries.get()).isEqualTo(5);
  }

  @Test
  void aCancelWhileTheLinkIsLostReachesTheRepository() throws Exception {
    try (Repository repository =
        Repository.open(dir.resolve("repository"), RepositoryOptions.DEFAULT)) {
      cancelWhileLost(repository, 3);
      long deadline = System.nanoTime() + Duration.ofSeconds(10).toNanos();
      while (!repository.sessions().isEmpty() && System.nanoTime() < deadline) {
        Thread.onSpinWait();
      }
      assertThat(repository.sessions()).isEmpty();
      assertThat(repository.points("", "", 0, 9)).isEmpty();
    }
  }

  @Test
  void aCancelEndsAlsoWhenNobodyCanBeTold() throws Exception {
    try (Repository repository =
        Repository.open(dir.resolve("repository"), RepositoryOptions.DEFAULT)) {
      cancelWhileLost(repository, Integer.MAX_VALUE);
      assertThat(repository.sessions())
          .singleElement()
          .satisfies(session -> assertThat(session.state()).isEqualTo("away"));
    }
  }
}
