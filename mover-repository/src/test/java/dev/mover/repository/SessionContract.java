package dev.mover.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.block.DiskDigest;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.point.DiskSpec;
import dev.mover.api.point.Name;
import dev.mover.api.point.RestorePoint;
import dev.mover.api.point.Verdict;
import dev.mover.api.point.Verdict.Outcome;
import dev.mover.testkit.Seeds;
import dev.mover.transport.frame.Commit;
import dev.mover.transport.frame.Committed;
import dev.mover.transport.frame.EndDisk;
import dev.mover.transport.frame.MapPart;
import dev.mover.transport.frame.Offer;
import dev.mover.transport.frame.Open;
import dev.mover.transport.frame.Opened;
import dev.mover.transport.frame.ReadMap;
import dev.mover.transport.frame.Same;
import dev.mover.transport.frame.Sent;
import dev.mover.transport.frame.Zero;
import dev.mover.transport.link.LinkServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a repository promises a proxy, on whatever file system it lies. */
abstract class SessionContract {
  static final BlockSize SIZE = BlockSize.KIB_256;
  private static final AtomicInteger FOLDERS = new AtomicInteger();

  private @Nullable Repository repository;
  final FaultyFiles files = new FaultyFiles();
  private Path directory = Path.of("unset");

  /** A folder on the file system under test. */
  abstract Path folder();

  /** Whether it can clone. */
  abstract boolean clones();

  @BeforeEach
  void open() {
    directory = folder().resolve("repository-" + FOLDERS.incrementAndGet());
    reopen();
  }

  void reopen() {
    reopen(RepositoryOptions.DEFAULT);
  }

  void reopen(RepositoryOptions options) {
    if (repository != null) {
      repository.close();
    }
    repository = Repository.open(directory, options, files::over, RepositoryTimes.DEFAULT);
  }

  @AfterEach
  void close() throws IOException {
    if (repository != null) {
      repository.close();
      assertThat(repository.leasedBytes()).isZero();
      repository = null;
    }
    if (Files.exists(directory)) {
      try (Stream<Path> left = Files.list(directory.resolve("sessions"))) {
        assertThat(left).isEmpty();
      }
    }
    removeTree(directory);
  }

  Repository repository() {
    return Objects.requireNonNull(repository);
  }

  LinkServer links() {
    return repository().links();
  }

  Committed backup(String machine, Map<String, byte[]> disks) {
    return ScriptedProxy.backup(links(), SIZE, machine, disks);
  }

  void assertRestores(String machine, long sequence, byte[]... disks) {
    for (int disk = 0; disk < disks.length; disk++) {
      assertThat(ScriptedReader.restore(links(), machine, sequence, disk))
          .as("disk %d of point %d", disk, sequence)
          .isEqualTo(disks[disk]);
    }
  }

  void assertSound() {
    List<Verdict> verdicts = ScriptedReader.verify(links(), "", true);
    assertThat(verdicts)
        .isNotEmpty()
        .allSatisfy(
            v -> {
              assertThat(v.findings()).isEmpty();
              assertThat(v.outcome()).isEqualTo(Outcome.SOUND);
            });
  }

  @Test
  void saysWhatItCanDo() {
    assertThat(repository().status().mode().startsWith("cloning")).isEqualTo(clones());
    assertThat(repository().status().warnings()).isEmpty();
  }

  @Test
  void givesBackDisksOfEverySize() {
    Map<String, byte[]> disks = new LinkedHashMap<>();
    disks.put("system", Content.disk(9 * SIZE.bytes() + 511, 1));
    disks.put("empty", new byte[0]);
    disks.put("one byte", new byte[] {7});
    disks.put("hole", new byte[5 * SIZE.bytes() + 1]);
    disks.put("just", Content.disk(3 * SIZE.bytes(), 2));
    Committed committed = backup("web", disks);
    assertThat(committed.sequence()).isEqualTo(1);
    assertRestores("web", 0, disks.values().toArray(byte[][]::new));
    assertSound();
  }

  @Test
  void wantsNothingOfAnUnchangedDisk() {
    byte[] disk = Content.disk(40 * SIZE.bytes() + 77, 1);
    backup("web", Map.of("system", disk));
    try (ScriptedProxy proxy = new ScriptedProxy(links(), SIZE)) {
      Committed second = proxy.run("web", Map.of("system", disk));
      assertThat(proxy.sentBlocks).isZero();
      assertThat(second.sequence()).isEqualTo(2);
      assertThat(second.storedBytes()).isZero();
      assertThat(second.linkedBytes()).isPositive();
      if (clones()) {
        assertThat(second.cloneRuns()).as("neighbours are cloned in one call").isEqualTo(1);
      }
    }
    assertRestores("web", 1, disk);
    assertRestores("web", 2, disk);
    assertSound();
  }

  @Test
  void wantsOnlyWhatChangedAndKeepsTheOldPoint() {
    byte[] before = Content.disk(30 * SIZE.bytes(), 1);
    backup("web", Map.of("system", before));
    byte[] after = Content.disk(34 * SIZE.bytes() + 5, 9);
    System.arraycopy(before, 0, after, 0, 20 * SIZE.bytes());
    after[3 * SIZE.bytes() + 17] ^= 1;
    try (ScriptedProxy proxy = new ScriptedProxy(links(), SIZE)) {
      proxy.run("web", Map.of("system", after));
      assertThat(proxy.sentBlocks).isEqualTo(1 + 15);
    }
    byte[] shrunk = java.util.Arrays.copyOf(after, 7 * SIZE.bytes() + 3);
    backup("web", Map.of("system", shrunk));
    assertRestores("web", 1, before);
    assertRestores("web", 2, after);
    assertRestores("web", 3, shrunk);
    assertSound();
  }

  @Test
  void knowsBlocksOfOtherMachinesWhereTheFileSystemClones() {
    byte[] disk = Content.disk(20 * SIZE.bytes(), 1);
    backup("web", Map.of("system", disk));
    try (ScriptedProxy proxy = new ScriptedProxy(links(), SIZE)) {
      proxy.run("db", Map.of("other", disk));
      assertThat(proxy.sentBlocks).isEqualTo(clones() ? 0 : 20);
    }
    assertRestores("db", 1, disk);
    assertSound();
  }

  @Test
  void everyPointStandsAloneWhereTheFileSystemClones() throws IOException {
    assumeTrue(clones());
    byte[] disk = Content.disk(10 * SIZE.bytes(), 1);
    backup("web", Map.of("system", disk));
    backup("web", Map.of("system", disk));
    Files.delete(pointFile("web", 1));
    assertRestores("web", 2, disk);
  }

  @Test
  void storesABlockOnceHoweverOftenItComes() {
    byte[] block = Content.disk(SIZE.bytes(), 4);
    byte[] first = repeat(block, 150);
    byte[] second = repeat(block, 5);
    Map<String, byte[]> disks = new LinkedHashMap<>();
    disks.put("first", first);
    disks.put("second", second);
    try (ScriptedProxy proxy = new ScriptedProxy(links(), SIZE)) {
      Committed committed = proxy.run("web", disks);
      assertThat(proxy.sentBlocks).isEqualTo(1);
      assertThat(committed.storedBytes()).isLessThan(2L * SIZE.bytes());
    }
    assertRestores("web", 1, first, second);
    assertSound();
  }

  @Test
  void clonesABlockOnceHoweverOftenItIsUsed() {
    assumeTrue(clones());
    byte[] disk = repeat(Content.disk(SIZE.bytes(), 4), 3);
    backup("seed", Map.of("disk", disk));
    long blocks = 10_000; // more than one run of links
    DiskSpec spec = new DiskSpec(new Name("d"), blocks * SIZE.bytes(), 512);
    DiskDigest digest = new DiskDigest(spec.sizeBytes(), SIZE);
    try (ScriptedProxy proxy = new ScriptedProxy(links(), SIZE)) {
      BlockId id = proxy.idOf(disk, SIZE.bytes());
      proxy.send(new Open(proxy.sessionId, new Name("web"), SIZE, List.of(spec)));
      proxy.expect(Opened.class);
      proxy.begin(0);
      for (long block = 0; block < blocks; block += 100) {
        assertThat(proxy.offer(0, block, java.util.Collections.nCopies(100, id)).isEmpty())
            .isTrue();
      }
      for (long block = 0; block < blocks; block++) {
        digest.addBlock(id);
      }
      proxy.send(new EndDisk(0, digest.finish()));
      assertThat(proxy.commit().cloneRuns()).isEqualTo(1);
    }
    assertSound();
  }

  @Test
  void takesSameRangesFromTheParent() {
    byte[] disk = Content.disk(12 * SIZE.bytes() + 9, 1);
    java.util.Arrays.fill(disk, 4 * SIZE.bytes(), 7 * SIZE.bytes(), (byte) 0);
    backup("web", Map.of("system", disk));
    byte[] changed = disk.clone();
    changed[8 * SIZE.bytes()] ^= 1;
    try (ScriptedProxy proxy = new ScriptedProxy(links(), SIZE)) {
      proxy.open("web", Map.of("system", changed));
      proxy.begin(0);
      proxy.send(new Same(0, 0, 8));
      assertThat(proxy.offer(0, 8, List.of(proxy.id(0, 8))).cardinality()).isEqualTo(1);
      proxy.sendBlock(0, 8);
      proxy.await("ACK", () -> proxy.acked == 1);
      proxy.send(new Same(0, 9, 4));
      proxy.send(new EndDisk(0, digest(proxy, changed)));
      proxy.commit();
    }
    assertRestores("web", 2, changed);
    assertSound();
  }

  @Test
  void refusesSameWhereTheParentHasNoSuchBlock() {
    byte[] disk = Content.disk(4 * SIZE.bytes() + 9, 1);
    backup("web", Map.of("system", disk));
    byte[] grown = Content.disk(5 * SIZE.bytes(), 1);
    try (ScriptedProxy proxy = new ScriptedProxy(links(), SIZE)) {
      proxy.open("web", Map.of("system", grown));
      proxy.begin(0);
      proxy.send(new Same(0, 0, 5)); // block 4 is longer now
      assertThat(proxy.expectError().code()).isEqualTo(ErrorCode.PROTOCOL_VIOLATION);
    }
    assertRestores("web", 0, disk);
  }

  @Test
  void copiesLinksThatCannotBeClonedAndSaysSo() {
    assumeTrue(clones());
    byte[] disk = Content.disk(10 * SIZE.bytes(), 1);
    backup("web", Map.of("system", disk));
    files.clonesFail.set(true);
    Committed second = backup("web", Map.of("system", disk));
    assertThat(second.copiedBytes()).isPositive();
    assertThat(second.warnings()).anyMatch(w -> w.contains("cloning failed"));
    assertRestores("web", 2, disk);
    assertSound();
  }

  @Test
  void asksForBlocksWhoseSourceIsDamaged() throws IOException {
    assumeTrue(clones());
    byte[] disk = Content.disk(10 * SIZE.bytes(), 1);
    backup("web", Map.of("system", disk));
    damage(pointFile("web", 1), 4096 + 300);
    files.clonesFail.set(true);
    try (ScriptedProxy proxy = new ScriptedProxy(links(), SIZE)) {
      proxy.run("web", Map.of("system", disk));
      assertThat(proxy.sentBlocks).isEqualTo(1);
    }
    assertRestores("web", 2, disk);
    assertThat(outcomes("web")).containsExactly(Outcome.DAMAGED, Outcome.SOUND);
  }

  @Test
  void goesOnAfterADamagedBlockAndNamesIt() throws IOException {
    byte[] disk = Content.disk(10 * SIZE.bytes(), 1);
    backup("web", Map.of("system", disk));
    // Slots lie in the order in which two threads came to write them.
    Path point1 = pointFile("web", 1);
    damage(point1, StoredSlots.own(point1).getFirst().offset() + 300);
    try (ScriptedReader reader = new ScriptedReader(links())) {
      RestorePoint point = reader.read("web", 1);
      @Nullable BlockId[] map = reader.map(point, 0);
      Sent sent = reader.get(point, 0, map, new byte[disk.length]);
      assertThat(sent.blocks()).isEqualTo(9);
      assertThat(sent.unreadable()).isEqualTo(1);
      assertThat(sent.findings()).hasSize(1);
      assertThat(sent.findings().getFirst()).contains("block 0 of disk system", "checksum");
    }
  }

  @Test
  void recoversFromOneDamagedCopyOfAnything() throws IOException {
    byte[] disk = Content.disk(10 * SIZE.bytes(), 1);
    Committed committed = backup("web", Map.of("system", disk));
    Path file = pointFile("web", 1);
    byte[] whole = Files.readAllBytes(file);
    long footer = committed.fileBytes() - 4096;
    long second = footer - 2 * 4096; // one page of disks, one of map
    long first = second - 2 * 4096;
    for (long at :
        new long[] {100, 2048 + 100, first + 50, first + 4096 + 50, second + 50, footer}) {
      damage(file, at);
      assertRestores("web", 1, disk);
      assertThat(outcomes("web")).as("damage at %d", at).containsExactly(Outcome.RECOVERED);
      Files.write(file, whole);
    }
    damage(file, first + 4096 + 50);
    damage(file, second + 4096 + 50);
    assertThat(outcomes("web")).containsExactly(Outcome.DAMAGED);
    try (ScriptedReader reader = new ScriptedReader(links())) {
      assertThatThrownBy(() -> reader.restore("web", 1, 0))
          .isInstanceOfSatisfying(
              MoverException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.METADATA_DAMAGED));
    }
  }

  @Test
  void backsUpBesideADamagedParent() throws IOException {
    byte[] disk = Content.disk(100 * SIZE.bytes(), 1);
    Committed committed = backup("web", Map.of("system", disk));
    Path file = pointFile("web", 1);
    long second = committed.fileBytes() - 4096 - 3 * 4096; // a page of disks, two of map
    damage(file, second + 2 * 4096 + 50);
    damage(file, second - 3 * 4096 + 2 * 4096 + 50);
    backup("web", Map.of("system", disk));
    assertRestores("web", 2, disk);
    damage(file, committed.fileBytes() - 4096);
    damage(file, 2048);
    backup("web", Map.of("system", disk));
    assertRestores("web", 3, disk);
    assertThat(outcomes("web")).containsExactly(Outcome.DAMAGED, Outcome.SOUND, Outcome.SOUND);
    try (Repository readOnly = Repository.openReadOnly(directory)) {
      assertThat(ScriptedReader.points(readOnly.links(), "").stream().map(RestorePoint::isReadable))
          .containsExactly(false, true, true);
      assertThat(ScriptedReader.verify(readOnly.links(), "", false)).hasSize(3);
    }
  }

  @Test
  void listsAPointThatCannotBeReadAsThat() throws IOException {
    byte[] disk = Content.disk(2 * SIZE.bytes(), 1);
    long bytes = backup("a/b", Map.of("system", disk)).fileBytes();
    backup("a/b", Map.of("system", disk));
    Path file = pointFile("a%2Fb", 1);
    damage(file, bytes - 4096);
    damage(file, 2048);
    RestorePoint expected =
        RestorePoint.unreadable(
            new Name("a/b"), 1, ScriptedReader.points(links(), "").getFirst().fileId(), bytes);
    try (Repository readOnly = Repository.openReadOnly(directory)) {
      assertThat(ScriptedReader.points(readOnly.links(), "")).first().isEqualTo(expected);
    }
    assertThat(outcomes("a/b")).first().isEqualTo(Outcome.DAMAGED);
    assertThat(ScriptedReader.points(links(), "a/b"))
        .hasSize(2)
        .first()
        .extracting(point -> point.checkedAt(Instant.EPOCH))
        .isEqualTo(expected);
    repository().close();
    removeTree(directory.resolve("index"));
    reopen();
    assertThat(ScriptedReader.points(links(), "")).hasSize(2).first().isEqualTo(expected);
    damage(file, 2048); // as it was
    outcomes("a/b");
    assertThat(ScriptedReader.points(links(), "").getFirst().isReadable()).isTrue();
  }

  @Test
  void aHoleOfAnySizeIsOneEntry() {
    DiskSpec spec = new DiskSpec(new Name("huge"), DiskSpec.MAX_BYTES, 512);
    long blocks = SIZE.count(spec.sizeBytes());
    DiskDigest digest = new DiskDigest(spec.sizeBytes(), SIZE);
    digest.addZeros(blocks);
    try (ScriptedProxy proxy = new ScriptedProxy(links(), SIZE)) {
      proxy.send(new Open(proxy.sessionId, new Name("web"), SIZE, List.of(spec)));
      proxy.expect(Opened.class);
      proxy.begin(0);
      proxy.send(new Zero(0, 0, blocks / 2));
      proxy.send(new Zero(0, blocks / 2, blocks - blocks / 2));
      proxy.send(new EndDisk(0, digest.finish()));
      assertThat(proxy.commit().fileBytes()).isEqualTo(6 * 4096);
    }
    assertSound();
    try (ScriptedReader reader = new ScriptedReader(links())) {
      reader.read("web", 0);
      reader.link().send(new ReadMap(0, 5));
      assertThat(reader.link().expect(MapPart.class).runs())
          .containsExactly(new MapPart.MapRun(null, blocks - 5));
    }
  }

  @Test
  void anyHistoryOfChangesRestores() {
    AtomicInteger history = new AtomicInteger();
    Seeds.check(
        3,
        random -> {
          String one = "one-" + history.incrementAndGet();
          String two = "two-" + history.get();
          Map<String, List<byte[]>> points = new LinkedHashMap<>();
          byte[] disk = Content.disk(1 + random.nextInt(30 * SIZE.bytes()), random.nextLong());
          for (int round = 0; round < 8; round++) {
            disk = changed(disk, random);
            String machine = random.nextInt(3) == 0 ? two : one;
            backup(machine, Map.of("disk", disk));
            points.computeIfAbsent(machine, _ -> new ArrayList<>()).add(disk);
            if (random.nextInt(4) == 0) {
              reopen();
            }
          }
          points.forEach(
              (machine, contents) -> {
                for (int i = 0; i < contents.size(); i++) {
                  assertRestores(machine, i + 1, contents.get(i));
                }
              });
          assertSound();
        });
  }

  private static byte[] changed(byte[] disk, RandomGenerator random) {
    int length = random.nextInt(3) == 0 ? 1 + random.nextInt(30 * SIZE.bytes()) : disk.length;
    byte[] out = java.util.Arrays.copyOf(disk, length);
    for (int change = 0; change < random.nextInt(8); change++) {
      int at = random.nextInt(length);
      int end = at + random.nextInt(Math.min(3 * SIZE.bytes(), length - at) + 1);
      switch (random.nextInt(3)) {
        case 0 -> java.util.Arrays.fill(out, at, end, (byte) 0);
        case 1 -> System.arraycopy(Content.disk(end - at, random.nextLong()), 0, out, at, end - at);
        default -> { // a block from elsewhere
          int from = random.nextInt(length) / SIZE.bytes() * SIZE.bytes();
          int to = at / SIZE.bytes() * SIZE.bytes();
          int count = Math.min(SIZE.bytes(), length - Math.max(from, to));
          System.arraycopy(out, from, out, to, count);
        }
      }
    }
    return out;
  }

  @Test
  void neverListsAPartial() throws IOException {
    byte[] disk = Content.disk(10 * SIZE.bytes(), 1);
    backup("web", Map.of("system", disk));
    Path file = pointFile("web", 1);
    Path partial = file.resolveSibling(file.getFileName().toString().replace(".mbf", ".partial"));
    Files.move(file, partial);
    try (Repository readOnly = Repository.openReadOnly(directory)) {
      assertThat(ScriptedReader.points(readOnly.links(), "")).isEmpty();
    }
    try (ScriptedReader reader = new ScriptedReader(links())) {
      assertThatThrownBy(() -> reader.read("web", 0))
          .isInstanceOfSatisfying(
              MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_SUCH_POINT));
    }
  }

  @Test
  void answersACommitAgain() {
    byte[] disk = Content.disk(3 * SIZE.bytes(), 1);
    try (ScriptedProxy proxy = new ScriptedProxy(links(), SIZE)) {
      Committed first = proxy.run("web", Map.of("system", disk));
      proxy.send(new Commit(proxy.sessionId));
      assertThat(proxy.expect(Committed.class)).isEqualTo(first);
      reopen();
      try (ScriptedProxy later = new ScriptedProxy(links(), SIZE)) {
        later.send(new Commit(proxy.sessionId));
        assertThat(later.expect(Committed.class).sequence()).isEqualTo(1);
      }
    }
    assertThat(ScriptedReader.points(links(), "web")).hasSize(1);
  }

  @Test
  void readsBesideARunningWriter() {
    byte[] disk = Content.disk(5 * SIZE.bytes() + 1, 1);
    backup("web", Map.of("system", disk));
    backup("db", Map.of("system", disk));
    try (Repository readOnly = Repository.openReadOnly(directory)) {
      assertThat(ScriptedReader.points(readOnly.links(), ""))
          .isEqualTo(ScriptedReader.points(links(), ""));
      assertThat(ScriptedReader.restore(readOnly.links(), "web", 0, 0)).isEqualTo(disk);
      assertThat(ScriptedReader.verify(readOnly.links(), "", true)).hasSize(2);
      try (ScriptedProxy proxy = new ScriptedProxy(readOnly.links(), SIZE)) {
        assertThatThrownBy(() -> proxy.open("web", Map.of("system", disk)))
            .isInstanceOfSatisfying(
                MoverException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.REPOSITORY_READ_ONLY));
      }
    }
  }

  @Test
  void rebuildsTheCatalogueFromTheFiles() throws IOException {
    byte[] disk = Content.disk(5 * SIZE.bytes(), 1);
    backup("web", Map.of("system", disk));
    backup("a/b ..", Map.of("system", disk));
    List<RestorePoint> before = ScriptedReader.points(links(), "");
    repository().close();
    removeTree(directory.resolve("index"));
    reopen();
    assertThat(ScriptedReader.points(links(), "")).isEqualTo(before);
    assertRestores("a/b ..", 0, disk);
    assertThat(repository().status().points()).isEqualTo(2);
  }

  @Test
  void refusesADiskWhoseDigestDiffers() {
    byte[] disk = Content.disk(2 * SIZE.bytes(), 1);
    backup("web", Map.of("system", disk));
    try (ScriptedProxy proxy = new ScriptedProxy(links(), SIZE)) {
      proxy.open("web", Map.of("system", disk));
      proxy.begin(0);
      proxy.offer(0, 0, List.of(proxy.id(0, 0), proxy.id(0, 1)));
      proxy.send(new EndDisk(0, proxy.id(0, 0)));
      assertThat(proxy.expectError().code()).isEqualTo(ErrorCode.DIGEST_MISMATCH);
    }
  }

  @Test
  void refusesAPayloadThatArrivesDamaged() {
    byte[] disk = Content.disk(2 * SIZE.bytes(), 1);
    try (ScriptedProxy proxy = new ScriptedProxy(links(), SIZE)) {
      proxy.open("web", Map.of("system", disk));
      proxy.begin(0);
      proxy.offer(0, 0, List.of(proxy.id(0, 0), proxy.id(0, 1)));
      proxy.sendBlockBeyondCredit(0, 0, 1);
      assertThat(proxy.expectError().code()).isEqualTo(ErrorCode.BLOCK_DAMAGED);
    }
  }

  @Test
  void answersManyOffersInOrder() {
    byte[] disk = Content.disk(300 * 1024, 1);
    byte[] large = repeat(disk, 100);
    try (ScriptedProxy proxy = new ScriptedProxy(links(), SIZE)) {
      proxy.open("web", Map.of("system", large));
      proxy.begin(0);
      for (int block = 0; block < 32; block++) {
        proxy.send(new Offer(0, block, List.of(proxy.id(0, block))));
      }
      for (int block = 0; block < 32; block++) {
        assertThat(proxy.expect(dev.mover.transport.frame.Answer.class).firstBlock())
            .isEqualTo(block);
      }
    }
  }

  List<Outcome> outcomes(String machine) {
    return ScriptedReader.verify(links(), machine, true).stream().map(Verdict::outcome).toList();
  }

  Path pointFile(String machine, long sequence) throws IOException {
    return files(machine, ".mbf").stream()
        .filter(p -> Long.parseLong(p.getFileName().toString().substring(0, 10)) == sequence)
        .findFirst()
        .orElseThrow();
  }

  private List<Path> files(String machine, String suffix) throws IOException {
    try (Stream<Path> all = Files.list(directory.resolve("machines").resolve(machine))) {
      return all.filter(p -> p.toString().endsWith(suffix)).sorted().toList();
    }
  }

  private static BlockId digest(ScriptedProxy proxy, byte[] bytes) {
    DiskDigest digest = new DiskDigest(bytes.length, SIZE);
    for (long block = 0; block < SIZE.count(bytes.length); block++) {
      int from = (int) block * SIZE.bytes();
      int length = SIZE.lengthAt(block, bytes.length);
      boolean zero = true;
      for (int i = 0; i < length && zero; i++) {
        zero = bytes[from + i] == 0;
      }
      if (zero) {
        digest.addZeros(1);
      } else {
        digest.addBlock(proxy.id(0, block));
      }
    }
    return digest.finish();
  }

  static void damage(Path file, long at) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      channel.read(one, at);
      one.put(0, (byte) (one.get(0) ^ 0x40)).clear();
      channel.write(one, at);
      channel.force(true);
    }
  }

  static byte[] repeat(byte[] block, int times) {
    byte[] out = new byte[block.length * times];
    for (int i = 0; i < times; i++) {
      System.arraycopy(block, 0, out, i * block.length, block.length);
    }
    return out;
  }

  static void removeTree(Path folder) throws IOException {
    if (Files.exists(folder)) {
      try (Stream<Path> all = Files.walk(folder)) {
        for (Path path : all.sorted(java.util.Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
  }
}
