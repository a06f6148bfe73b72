package dev.mover.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.point.Name;
import dev.mover.api.point.Verdict;
import dev.mover.dedup.codec.Compression;
import dev.mover.proxy.BackupRequest;
import dev.mover.proxy.BackupResult;
import dev.mover.proxy.LinkPatience;
import dev.mover.proxy.Progress;
import dev.mover.proxy.Proxy;
import dev.mover.proxy.ProxyOptions;
import dev.mover.proxy.RestoreRequest;
import dev.mover.proxy.source.DirectSource;
import dev.mover.repository.Repository;
import dev.mover.repository.RepositoryOptions;
import dev.mover.repository.SimulatedDisk;
import dev.mover.testkit.LoopMount;
import dev.mover.testkit.LoopMount.Kind;
import dev.mover.transport.frame.Need;
import dev.mover.transport.inprocess.InProcessConnector;
import dev.mover.transport.inprocess.LinkWeather.Direction;
import dev.mover.transport.inprocess.OneLoss;
import dev.mover.transport.link.BulkReceiver;
import dev.mover.transport.link.FrameLink;
import dev.mover.transport.link.LinkConnector;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;

/** A small session, whose link is lost at every frame once. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LossAtEachFrameTest {
  private static final BlockSize SIZE = BlockSize.KIB_256;
  private static final int BLOCKS = 6;
  private static final Name MACHINE = new Name("web");
  private static final LinkPatience QUICK =
      new LinkPatience(Duration.ofMillis(5), Duration.ofSeconds(60));

  @TempDir Path dir;

  private Path image() throws IOException {
    byte[] noise = new byte[BLOCKS * SIZE.bytes()];
    new SplittableRandom(1).nextBytes(noise);
    return Files.write(dir.resolve("disk.raw"), noise);
  }

  private static BackupResult backUp(Proxy proxy, LinkConnector to, String machine, Path image) {
    return proxy.backup(
        new BackupRequest(
            new Name(machine),
            List.of(DirectSource.open(new Name("d0"), image)),
            SIZE,
            Compression.NONE),
        to,
        Progress.Listener.NONE);
  }

  /**
   * All blocks but one are in a partial, and one of those is damaged: OFFER and ANSWER, BLOCK and
   * ACK, COMMIT, NEED, BLOCK again, and COMMITTED all have their turn.
   */
  @Test
  void makesOnePointThatIsWholeAlsoWhenBlocksAreNeededAgain() throws Exception {
    try (LoopMount mount = LoopMount.orSkip(Kind.EXT4, 320L << 20);
        Proxy proxy = new Proxy(new ProxyOptions(1, 2), Clock.systemUTC(), QUICK)) {
      int losses = 0;
      for (Direction direction : Direction.values()) {
        int frame = 1;
        while (run(proxy, mount.folder(), new OneLoss(direction, frame))) {
          frame++;
        }
        losses += frame - 1;
      }
      assertThat(losses).isGreaterThan(16);
    }
  }

  /** Whether the link was lost: false when the session has fewer frames. */
  private boolean run(Proxy proxy, Path folder, OneLoss loss) throws IOException {
    Path image = image();
    Path directory = Files.createTempDirectory(folder, "repository");
    SimulatedDisk disk = new SimulatedDisk(directory, Clock.systemUTC(), 1);
    leavePartial(disk, image);
    damageFirstSlot(disk.directory().resolve("machines/web"));
    try (RandomAccessFile out = new RandomAccessFile(image.toFile(), "rw")) {
      out.seek(3L * SIZE.bytes());
      out.write(1);
    }
    AtomicInteger needs = new AtomicInteger();
    try (Repository repository = Repository.open(disk.directory(), RepositoryOptions.DEFAULT)) {
      LinkConnector connector = counting(needs, new InProcessConnector(repository.links(), loss));
      BackupResult result = backUp(proxy, connector, "web", image);
      assertThat(result.sequence()).isEqualTo(1);
      assertThat(needs.get()).isPositive();
      InProcessConnector calm = new InProcessConnector(repository.links());
      Verdicts verdicts = new Verdicts();
      proxy.verify("web", 0, true, calm, verdicts);
      assertThat(verdicts.list())
          .singleElement()
          .satisfies(v -> assertThat(v.outcome()).isEqualTo(Verdict.Outcome.SOUND));
      restores(proxy, calm, image);
      assertThat(repository.status().sessions()).isZero();
      assertThat(proxy.leasedBytes()).isZero();
    }
    return loss.hasLost();
  }

  private void restores(Proxy proxy, LinkConnector from, Path image) throws IOException {
    Path target = dir.resolve("restored");
    proxy.restore(
        new RestoreRequest(MACHINE, 0, Optional.empty(), target, false),
        from,
        Progress.Listener.NONE);
    assertThat(Files.mismatch(target, image)).isEqualTo(-1);
    Files.delete(target);
  }

  /** A session that ends where it should commit. */
  private static void leavePartial(SimulatedDisk disk, Path image) {
    LinkPatience none = new LinkPatience(Duration.ofMillis(5), Duration.ZERO);
    OneLoss ofCommit = new OneLoss(Direction.TO_REPOSITORY, 5 + BLOCKS);
    try (Repository repository = disk.open(RepositoryOptions.DEFAULT);
        Proxy proxy = new Proxy(new ProxyOptions(1, 2), Clock.systemUTC(), none)) {
      LinkConnector connector =
          interrupted(
              new InProcessConnector(repository.links(), ofCommit),
              () -> {
                throw new IOException("nobody is there");
              });
      assertThatThrownBy(() -> backUp(proxy, connector, "web", image))
          .isInstanceOf(MoverException.class);
      assertThat(ofCommit.hasLost()).isTrue();
    }
  }

  /** Counts what the repository needs after all. */
  private static LinkConnector counting(AtomicInteger needs, LinkConnector links) {
    return new LinkConnector() {
      @Override
      public Mono<FrameLink> connect(BulkReceiver receiver) {
        return links.connect(receiver).map(link -> counting(needs, link));
      }

      @Override
      public String address() {
        return links.address();
      }
    };
  }

  private static FrameLink counting(AtomicInteger needs, FrameLink link) {
    return (FrameLink)
        java.lang.reflect.Proxy.newProxyInstance(
            FrameLink.class.getClassLoader(),
            new Class<?>[] {FrameLink.class},
            (_, method, args) ->
                method.getName().equals("control")
                    ? link.control()
                        .doOnNext(
                            frame ->
                                needs.addAndGet(
                                    frame instanceof Need need ? need.blocks().size() : 0))
                    : method.invoke(link, args));
  }

  private static void damageFirstSlot(Path machine) throws IOException {
    Path file;
    try (Stream<Path> files = Files.list(machine)) {
      file = files.filter(f -> Files.isRegularFile(f)).findFirst().orElseThrow();
    }
    try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
      out.seek(4096 + 300);
      int was = out.read();
      out.seek(4096 + 300);
      out.write(was ^ 1);
    }
  }

  /** What was sent and lost is read again: it has to be what it was. */
  @Test
  void aDiskThatChangedBeforeItsBlocksAreReadAgainMakesNoPoint() throws Exception {
    Path image = image();
    try (Repository repository =
            Repository.open(dir.resolve("repository"), RepositoryOptions.DEFAULT);
        Proxy proxy = new Proxy(new ProxyOptions(1, 2), Clock.systemUTC(), QUICK)) {
      InProcessConnector calm = new InProcessConnector(repository.links());
      OneLoss loss = new OneLoss(Direction.TO_REPOSITORY, 6);
      LinkConnector connector =
          interrupted(new InProcessConnector(repository.links(), loss), () -> change(image));
      assertThatThrownBy(() -> backUp(proxy, connector, "web", image))
          .isInstanceOfSatisfying(
              MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SOURCE_CHANGED))
          .hasMessageContaining(image.toString())
          .hasMessageContaining("run the backup again");
      assertThat(loss.hasLost()).isTrue();
      assertThat(repository.points("", "", 0, 9)).isEmpty();
      assertThat(backUp(proxy, calm, "web", image).sequence()).isEqualTo(1);
      restores(proxy, calm, image);
    }
  }

  private static void change(Path image) throws IOException {
    byte[] other = Files.readAllBytes(image);
    for (int block = 0; block < BLOCKS; block++) {
      other[block * SIZE.bytes()] ^= 1;
    }
    Files.write(image, other);
  }

  /** What happens between a loss and the link after it. */
  @FunctionalInterface
  private interface Meanwhile {
    void happens() throws IOException;
  }

  private static LinkConnector interrupted(LinkConnector links, Meanwhile meanwhile) {
    AtomicInteger asked = new AtomicInteger();
    return new LinkConnector() {
      @Override
      public Mono<FrameLink> connect(BulkReceiver receiver) {
        if (asked.incrementAndGet() == 2) {
          try {
            meanwhile.happens();
          } catch (IOException e) {
            return Mono.error(e);
          }
        }
        return links.connect(receiver);
      }

      @Override
      public String address() {
        return links.address();
      }
    };
  }
}
