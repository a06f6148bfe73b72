package dev.mover.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.point.Name;
import dev.mover.api.source.DiskSource;
import dev.mover.dedup.codec.Compression;
import dev.mover.proxy.RestoreResult.BadRange;
import dev.mover.proxy.source.DirectSource;
import dev.mover.testkit.DiskImages;
import dev.mover.testkit.Seeds;
import dev.mover.transport.frame.Get;
import dev.mover.transport.inprocess.InProcessConnector;
import dev.mover.transport.link.LinkConnector;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whole runs of a proxy against a model repository, over the in-process transport. */
@Timeout(20)
class ProxyTest {
  private static final Name MACHINE = new Name("web/01 🙂");

  @TempDir Path dir;
  private final ModelRepository repository = new ModelRepository();
  private final LinkConnector connector = new InProcessConnector(repository);
  private final Proxy proxy = new Proxy(new ProxyOptions(3, 2));

  @AfterEach
  void close() throws InterruptedException {
    repository.awaitIdle();
    assertThat(proxy.leasedBytes()).as("block memory still leased").isZero();
    proxy.close();
    assertThat(repository.pool.leasedBytes()).as("the model's memory still leased").isZero();
    repository.pool.close();
  }

  @Test
  void restoresWhatItBackedUpWhateverTheSize() {
    Seeds.check(
        12,
        random -> {
          BlockSize size = any(random, BlockSize.values());
          Compression compression = any(random, Compression.values());
          repository.creditFrames = 2 + random.nextInt(5);
          List<Path> images = new ArrayList<>();
          for (int i = 0; i < 1 + random.nextInt(4); i++) {
            Path image = Files.createTempFile(dir, "disk", ".raw");
            DiskImages.create(image, oddSize(random, size), random.nextLong());
            images.add(image);
          }
          Name machine = new Name("m" + random.nextInt());
          backup(machine, images, size, compression);
          assertRestored(machine, images);
        });
  }

  private static <T> T any(RandomGenerator random, T[] choices) {
    return choices[random.nextInt(choices.length)];
  }

  private static long oddSize(RandomGenerator random, BlockSize size) {
    long blocks = random.nextInt(6) * (long) size.bytes();
    return switch (random.nextInt(5)) {
      case 0 -> blocks;
      case 1 -> blocks + 1;
      case 2 -> blocks + 511;
      case 3 -> Math.max(0, blocks - 1);
      default -> blocks + random.nextInt(size.bytes());
    };
  }

  @Test
  void sendsNothingWhenNothingChanged() throws Exception {
    Path image = image(9_000_000, 1);
    BackupResult first = backup(List.of(image));
    BackupResult second = backup(List.of(image));

    assertThat(first.sentBytes()).isPositive();
    assertThat(second.sentBytes()).isZero();
    assertThat(second.sequence()).isEqualTo(2);
    assertThat(second.knownBytes() + second.zeroBytes()).isEqualTo(9_000_000);
    assertRestored(MACHINE, List.of(image));
  }

  @Test
  void doesNotReadHoles() throws Exception {
    Path image = dir.resolve("sparse.raw");
    long twoTiB = 2L << 40;
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(twoTiB);
      file.seek(twoTiB - 5_000_000);
      file.write(DiskImages.bytes(3_000_000, 7));
    }
    BackupResult result = backup(List.of(image));

    assertThat(result.readBytes()).isLessThan(6L << 20);
    assertThat(result.zeroBytes()).isGreaterThan(twoTiB - (6L << 20));
    assertThat(result.total()).isLessThan(Duration.ofSeconds(10));
  }

  @Test
  void runsNoMoreTasksThanEitherSideHasSlots() throws Exception {
    repository.slots = 2;
    List<Path> images = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      images.add(image(3 << 20, i));
    }
    BackupResult result = backup(images);

    assertThat(repository.mostStreaming).isEqualTo(2);
    assertThat(result.mostTasks()).isEqualTo(2);
    assertRestored(MACHINE, images);
  }

  @Test
  void progressNeverFallsAndEndsAtHundred() throws Exception {
    List<Progress> told = new ArrayList<>();
    try (var none = image0()) {
      proxy.backup(
          new BackupRequest(
              MACHINE,
              List.of(none, open("d", image(20_000_000, 3))),
              BlockSize.KIB_256,
              Compression.FAST),
          connector,
          progress -> {
            synchronized (told) {
              told.add(progress);
            }
          });
    }
    assertThat(told).isSortedAccordingTo((a, b) -> Double.compare(a.percent(), b.percent()));
    assertThat(told).allMatch(p -> p.percent() >= 0 && p.percent() <= 100);
    assertThat(told.getLast().percent()).isEqualTo(100);
    assertThat(told.stream().filter(p -> p.percent() == 100)).hasSize(1);
  }

  private DiskSource image0() throws IOException {
    Path empty = dir.resolve("empty.raw");
    Files.createFile(empty);
    return open("empty", empty);
  }

  @Test
  void sendsAgainWhatTheRepositoryNeedsAfterAll() throws Exception {
    repository.needOnce = List.of(0L, 1L);
    Path image = dir.resolve("noise.raw");
    Files.write(image, noise(3 << 20));
    BackupResult result = backup(List.of(image));

    assertThat(result.warnings()).hasSize(1);
    assertThat(repository.receivedBlocks()).isEqualTo(5);
    assertRestored(MACHINE, List.of(image));
  }

  @Test
  void stopsReadingWhenTheRepositoryGivesNoCredit() throws Exception {
    repository.holdAcks = true;
    // Every read buffer holds a block that waits for credit, but those that had some.
    int most = new ProxyMemory(3).readBuffers(BlockSize.MIB_1) + repository.creditFrames;
    AtomicLong reads = new AtomicLong();
    CountDownLatch full = new CountDownLatch(most);
    DiskSource counted =
        new MemorySource("d", (most + 40) << 20, 1) {
          @Override
          public void read(long offset, int length, BlockBuffer into, ReadDone done) {
            reads.incrementAndGet();
            full.countDown();
            super.read(offset, length, into, done);
          }
        };
    Thread run =
        Thread.ofPlatform()
            .start(
                () ->
                    assertThatThrownBy(
                            () -> proxy.backup(request(counted), connector, Progress.Listener.NONE))
                        .isInstanceOf(MoverException.class));
    full.await();
    // Time enough to read on: another backup goes through the same proxy meanwhile.
    ModelRepository other = new ModelRepository();
    proxy.backup(
        request(new MemorySource("d", 30 << 20, 2)),
        new InProcessConnector(other),
        Progress.Listener.NONE);
    assertThat(reads).hasValue(most);
    run.interrupt();
    run.join();
    other.awaitIdle();
    other.pool.close();
  }

  @Test
  void failsWhenTheSourceShrinks() throws Exception {
    Path image = image(12 << 20, 5);
    DiskSource source = open("d", image);
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength((9 << 20) + 17);
    }
    DiskSource opaque =
        new Forwarding(source) {
          @Override
          public long nextData(long offset) {
            return offset;
          }
        };
    assertThatThrownBy(() -> proxy.backup(request(opaque), connector, Progress.Listener.NONE))
        .isInstanceOfSatisfying(
            MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SOURCE_SHRANK))
        .hasMessageContaining("9437201");
    repository.awaitIdle();
    assertThat(repository.aborts).hasSize(1);
  }

  @Test
  void warnsWhenTheSourceGrows() throws Exception {
    Path image = image(2 << 20, 5);
    DiskSource source = open("d", image);
    Files.write(image, new byte[10], java.nio.file.StandardOpenOption.APPEND);
    BackupResult result = proxy.backup(request(source), connector, Progress.Listener.NONE);
    assertThat(result.warnings()).singleElement().asString().contains("changed its size");
    assertThat(result.sizeBytes()).isEqualTo(2 << 20);
  }

  @Test
  void tellsTheRepositorysOwnError() throws Exception {
    repository.failAfterBlocks = 3;
    Path image = dir.resolve("noise.raw");
    Files.write(image, noise(64 << 20));
    assertThatThrownBy(() -> backup(List.of(image)))
        .isInstanceOfSatisfying(
            MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.REPOSITORY_FULL))
        .hasMessageContaining("model is full");
  }

  @Test
  void refusesTwoDisksOfOneName() throws Exception {
    Path image = image(10, 1);
    assertThatThrownBy(
            () ->
                proxy.backup(
                    new BackupRequest(
                        MACHINE,
                        List.of(open("d", image), open("d", image)),
                        BlockSize.DEFAULT,
                        Compression.NONE),
                    connector,
                    Progress.Listener.NONE))
        .hasMessageContaining("two disks are called d");
  }

  @Test
  void refusesDamagedBlocksAndRemovesTheUnfinishedFile() throws Exception {
    backup(List.of(image(5 << 20, 9)));
    repository.damageData = true;
    assertRestoreFails(dir.resolve("out.raw"), ErrorCode.BLOCK_DAMAGED);
    assertThat(dir.resolve("out.raw")).doesNotExist();
  }

  @Test
  void aTolerantRestoreLeavesOutWhatIsDamagedAndListsIt() throws Exception {
    byte[] content = noise((7 << 20) + 1234);
    Path image = dir.resolve("noise.raw");
    Files.write(image, content);
    backup(List.of(image));
    repository.unreadableBlocks = Set.of(1L, 7L);
    repository.damagedBlocks = Set.of(2L, 4L);
    Path target = dir.resolve("out.raw");
    assertRestoreFails(target, ErrorCode.BLOCK_DAMAGED);
    assertThat(target).doesNotExist();

    RestoreResult result = restoreTolerantly(target, false);
    Arrays.fill(content, 1 << 20, 3 << 20, (byte) 0);
    Arrays.fill(content, 4 << 20, 5 << 20, (byte) 0);
    Arrays.fill(content, 7 << 20, content.length, (byte) 0);
    assertThat(Files.readAllBytes(target)).isEqualTo(content);
    assertThat(result.badRanges())
        .containsExactly(
            new BadRange(1 << 20, 2 << 20),
            new BadRange(4 << 20, 1 << 20),
            new BadRange(7 << 20, 1234));
    assertThat(result.badBytes()).isEqualTo((3 << 20) + 1234);

    Path old = dir.resolve("old.raw");
    Files.writeString(old, "precious".repeat(1_000_000));
    assertThat(restoreTolerantly(old, true).badBytes()).isEqualTo((3 << 20) + 1234);
    assertThat(Files.readAllBytes(old)).isEqualTo(content);
  }

  @Test
  void onlyATolerantRestoreTakesAMapThatHasLostBlocks() throws Exception {
    byte[] content = noise(5 << 20);
    Path image = dir.resolve("noise.raw");
    Files.write(image, content);
    backup(List.of(image));
    repository.lostBlocks = Set.of(3L);
    Path target = dir.resolve("out.raw");
    assertRestoreFails(target, ErrorCode.PROTOCOL_VIOLATION);
    assertThat(target).doesNotExist();

    RestoreResult result = restoreTolerantly(target, false);
    Arrays.fill(content, 3 << 20, 4 << 20, (byte) 0);
    assertThat(Files.readAllBytes(target)).isEqualTo(content);
    assertThat(result.badRanges()).containsExactly(new BadRange(3 << 20, 1 << 20));
  }

  @Test
  void aTolerantRestoreOfASoundDiskIsWhole() throws Exception {
    Path image = image(5_000_001, 9);
    backup(List.of(image));
    Path target = dir.resolve("out.raw");
    RestoreResult result = restoreTolerantly(target, false);
    assertThat(Files.mismatch(target, image)).isEqualTo(-1);
    assertThat(result.badRanges()).isEmpty();
    assertThat(result.badBytes()).isZero();
  }

  @Test
  void givesEverythingBackWhileTheRepositoryKeepsSending() throws Exception {
    Path image = dir.resolve("noise.raw");
    Files.write(image, noise(30 << 20));
    backup(List.of(image));
    repository.damageData = true;
    for (int i = 0; i < 20; i++) {
      assertRestoreFails(dir.resolve("out.raw"), ErrorCode.BLOCK_DAMAGED);
      assertThat(proxy.leasedBytes()).isZero();
    }
  }

  @Test
  void aRestoreCanBeCancelled() throws Exception {
    backup(List.of(image(5 << 20, 9)));
    repository.holdData = true;
    CountDownLatch asked = new CountDownLatch(1);
    repository.onFrame =
        (frame, link) -> {
          if (frame instanceof Get) {
            asked.countDown();
          }
        };
    Path target = dir.resolve("out.raw");
    Thread run = Thread.ofPlatform().start(() -> assertRestoreFails(target, ErrorCode.CANCELLED));
    asked.await();
    run.interrupt();
    run.join();
    assertThat(target).doesNotExist();
  }

  @Test
  void refusesBlocksThatComeTwice() throws Exception {
    backup(List.of(image(5 << 20, 9)));
    repository.repeatData = true;
    assertRestoreFails(dir.resolve("out.raw"), ErrorCode.PROTOCOL_VIOLATION);
  }

  @Test
  void keepsAnExistingFileUnlessAllowedToOverwriteIt() throws Exception {
    Path image = image(5_000_001, 9);
    backup(List.of(image));
    Path target = dir.resolve("old.raw");
    Files.writeString(target, "precious".repeat(1_000_000));

    assertRestoreFails(target, ErrorCode.TARGET_EXISTS);
    assertThat(Files.readString(target)).isEqualTo("precious".repeat(1_000_000));

    restore(MACHINE, Optional.empty(), target, true);
    assertThat(Files.mismatch(target, image)).isEqualTo(-1);
  }

  @Test
  void namesThePointsDisksWhenOneMustBeChosen() throws Exception {
    backup(List.of(image(10, 1), image(20, 2)));
    assertThatThrownBy(() -> restore(MACHINE, Optional.empty(), dir.resolve("out"), false))
        .hasMessageContaining("d0")
        .hasMessageContaining("d1");
    assertThatThrownBy(
            () -> restore(MACHINE, Optional.of(new Name("d7")), dir.resolve("out"), false))
        .isInstanceOfSatisfying(
            MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_SUCH_DISK));
  }

  // ---- tools ----

  private void assertRestoreFails(Path target, ErrorCode code) {
    assertThatThrownBy(() -> restore(MACHINE, Optional.empty(), target, false))
        .isInstanceOfSatisfying(MoverException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  private void assertRestored(Name machine, List<Path> images) throws IOException {
    for (int i = 0; i < images.size(); i++) {
      Path target = Files.createTempDirectory(dir, "restored").resolve("disk.raw");
      RestoreResult result = restore(machine, Optional.of(new Name("d" + i)), target, false);
      assertThat(Files.mismatch(target, images.get(i))).isEqualTo(-1);
      assertThat(result.sizeBytes()).isEqualTo(Files.size(target));
    }
  }

  private RestoreResult restoreTolerantly(Path target, boolean overwrite) {
    return proxy.restore(
        new RestoreRequest(MACHINE, 0, Optional.empty(), target, overwrite, true),
        connector,
        Progress.Listener.NONE);
  }

  private RestoreResult restore(Name machine, Optional<Name> disk, Path target, boolean overwrite) {
    return proxy.restore(
        new RestoreRequest(machine, 0, disk, target, overwrite), connector, Progress.Listener.NONE);
  }

  private BackupResult backup(List<Path> images) {
    return backup(MACHINE, images, BlockSize.DEFAULT, Compression.OPTIMAL);
  }

  private BackupResult backup(
      Name machine, List<Path> images, BlockSize size, Compression compression) {
    List<DiskSource> sources = new ArrayList<>();
    for (int i = 0; i < images.size(); i++) {
      sources.add(open("d" + i, images.get(i)));
    }
    return proxy.backup(
        new BackupRequest(machine, sources, size, compression), connector, Progress.Listener.NONE);
  }

  private static BackupRequest request(DiskSource source) {
    return new BackupRequest(MACHINE, List.of(source), BlockSize.DEFAULT, Compression.OPTIMAL);
  }

  private static DiskSource open(String disk, Path path) {
    return DirectSource.open(new Name(disk), path);
  }

  private Path image(long size, long seed) throws IOException {
    Path image = Files.createTempFile(dir, "image", ".raw");
    DiskImages.create(image, size, seed);
    return image;
  }

  private static byte[] noise(int length) {
    byte[] bytes = new byte[length];
    new java.util.SplittableRandom(length).nextBytes(bytes);
    return bytes;
  }
}
