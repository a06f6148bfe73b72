package dev.mover.itests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.error.DataException;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.point.Name;
import dev.mover.api.point.RemovalMode;
import dev.mover.api.point.Retention;
import dev.mover.api.point.Verdict;
import dev.mover.api.source.DiskSource;
import dev.mover.dedup.codec.Compression;
import dev.mover.dedup.digest.BlockDigest;
import dev.mover.dedup.digest.IdKey;
import dev.mover.dedup.domain.DomainFile;
import dev.mover.dedup.domain.Password;
import dev.mover.dedup.domain.PasswordLock.Function;
import dev.mover.dedup.domain.ReaderKeys;
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
import dev.mover.testkit.Background;
import dev.mover.testkit.DiskImages;
import dev.mover.testkit.MovingClock;
import dev.mover.transport.inprocess.InProcessConnector;
import dev.mover.transport.inprocess.LinkWeather;
import dev.mover.transport.inprocess.LinkWeather.Direction;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/**
 * One history of a proxy and a repository, as its random numbers will have it. All decisions come
 * from them; how the threads of both sides meet does not, so a replay takes the same steps, and not
 * always with the same end.
 */
final class SimulatedHistory {
  private static final Password PASSWORD = new Password("of the simulation");
  private static final DomainFile DOMAIN = DomainFile.create(PASSWORD, Function.PBKDF2).file();
  private static final ReaderKeys READER = DOMAIN.unlock(PASSWORD);

  private static final int STEPS = 10;

  /** What the disk does in one, about. */
  private static final int STEPS_OF_A_BACKUP = 30;

  private static final int STEPS_OF_A_DELETION = 6;
  private static final long MOST_DISK_BYTES = 3L << 19;
  private static final LinkPatience IMPATIENT =
      new LinkPatience(Duration.ofMillis(5), Duration.ofMillis(300));

  /** How a run may end while the machine goes down, the disk is full or the link is lost. */
  private static final Set<ErrorCode> EXPECTED =
      EnumSet.of(
          ErrorCode.LINK_LOST,
          ErrorCode.SESSION_LOST,
          ErrorCode.MACHINE_BUSY,
          ErrorCode.REPOSITORY_WRITE_FAILED,
          ErrorCode.REPOSITORY_READ_FAILED,
          ErrorCode.REPOSITORY_FULL,
          ErrorCode.INDEX_FAILED);

  private final Path folder;
  private final RandomGenerator random;
  private final MovingClock clock = new MovingClock();
  private final SimulatedDisk disk;
  private final PointModel model = new PointModel();
  private final List<List<Path>> machines = new ArrayList<>();
  private final RepositoryOptions options;
  private final Proxy proxy;
  private Repository repository;
  private boolean trouble;
  private int files;
  private final AtomicInteger backups = new AtomicInteger();
  private final AtomicInteger failedBackups = new AtomicInteger();
  private int crashes;
  private int healed;

  private SimulatedHistory(Path folder, Path extent, RandomGenerator random) throws IOException {
    this.folder = folder;
    this.random = random;
    this.disk = new SimulatedDisk(extent, clock, random.nextLong());
    this.options = RepositoryOptions.DEFAULT.withMaxConcurrentTasks(1 + random.nextInt(3));
    this.proxy = new Proxy(new ProxyOptions(1 + random.nextInt(3), 2), clock, IMPATIENT);
    for (int machine = 0; machine < 1 + random.nextInt(3); machine++) {
      List<Path> disks = new ArrayList<>();
      for (int i = 0; i < 1 + random.nextInt(3); i++) {
        Path image = folder.resolve("m" + machine + "-d" + i + ".raw");
        DiskImages.create(image, 1 + random.nextLong(MOST_DISK_BYTES), random.nextInt(3));
        disks.add(image);
      }
      machines.add(disks);
    }
    this.repository = disk.open(options);
  }

  /** How often what happened. */
  record Count(int backups, int failedBackups, int crashes, int healed) {
    static final Count NONE = new Count(0, 0, 0, 0);

    Count plus(Count other) {
      return new Count(
          backups + other.backups,
          failedBackups + other.failedBackups,
          crashes + other.crashes,
          healed + other.healed);
    }
  }

  /**
   * Runs it.
   *
   * @param folder for disks and what is restored
   * @param extent for the repository, on the file system to use
   * @param lies whether the disk keeps nothing of what was synced
   */
  static Count run(Path folder, Path extent, RandomGenerator random, boolean lies)
      throws IOException {
    SimulatedHistory history = new SimulatedHistory(folder, extent, random);
    try (Proxy _ = history.proxy) {
      if (lies) {
        history.disk.lie();
      }
      for (int step = 0; step < STEPS; step++) {
        history.step();
      }
      history.reopen();
      history.checkAll();
      history.disk.close();
      assertThat(history.proxy.leasedBytes()).isZero();
      return new Count(
          history.backups.get(), history.failedBackups.get(), history.crashes, history.healed);
    } finally {
      history.disk.abandon();
    }
  }

  private void step() throws IOException {
    trouble = false;
    int what = random.nextInt(17);
    if (what >= 12 && what < 16) {
      disk.crashAfter(1 + random.nextInt(what == 12 ? STEPS_OF_A_DELETION : STEPS_OF_A_BACKUP));
      trouble = true;
    }
    switch (what) {
      case 0 -> reopen();
      case 1 -> rebuildIndex();
      case 2 -> clock.move(random.nextBoolean() ? Duration.ofDays(-1) : Duration.ofDays(365));
      case 3 -> checkAll();
      case 4, 12 -> delete();
      case 5 -> retain();
      case 6, 13 -> twoAtOnce();
      case 7 -> whenFull();
      case 16 -> rot();
      default -> backup(random.nextInt(machines.size()), weather());
    }
    if (trouble) {
      reopen();
    }
  }

  private LinkWeather weather() {
    LinkWeather weather = LinkWeather.delays(random.nextLong(), random.nextInt(1500));
    if (random.nextInt(3) > 0) {
      return weather;
    }
    trouble = true;
    Direction direction = random.nextBoolean() ? Direction.TO_PROXY : Direction.TO_REPOSITORY;
    return weather.losing(direction, random.nextInt(12));
  }

  private void backup(int machine, LinkWeather weather) throws IOException {
    backup(machine, weather, random.nextInt(4) == 0 ? BlockSize.MIB_1 : BlockSize.KIB_256);
  }

  private void backup(int machine, LinkWeather weather, BlockSize size) throws IOException {
    List<Path> disks = machines.get(machine);
    for (Path image : disks) {
      DiskImages.change(image, random.nextInt(4), random.nextLong());
    }
    List<byte[]> content = contents(disks);
    BackupRequest request = request(machine, open(disks), size);
    attempt(machine, content, request, new InProcessConnector(repository.links(), weather));
  }

  /** Every other machine encrypts, all of them in one domain. */
  private static BackupRequest request(int machine, List<DiskSource> disks, BlockSize size) {
    return new BackupRequest(
        name(machine),
        disks,
        size,
        Compression.FAST,
        disks.size(),
        isEncrypted(machine) ? Optional.of(DOMAIN.writerKeys()) : Optional.empty());
  }

  private static boolean isEncrypted(int machine) {
    return machine % 2 == 0;
  }

  private void attempt(
      int machine, List<byte[]> content, BackupRequest request, InProcessConnector connector) {
    try {
      BackupResult result = proxy.backup(request, connector, Progress.Listener.NONE);
      backups.incrementAndGet();
      synchronized (model) {
        model.committed(name(machine).value(), result.sequence(), content);
      }
    } catch (MoverException e) {
      failedBackups.incrementAndGet();
      expected(e);
      synchronized (model) {
        model.mayHave(name(machine).value(), content);
      }
    }
  }

  private void expected(MoverException e) {
    if (!trouble || !EXPECTED.contains(e.code())) {
      throw new AssertionError("not in such weather: " + e.code() + " " + e.getMessage(), e);
    }
  }

  /** Another machine's backup, or a restore, goes on beside. */
  private void twoAtOnce() throws IOException {
    int first = random.nextInt(machines.size());
    LinkWeather weather = weather();
    if (machines.size() > 1) {
      int second = (first + 1) % machines.size();
      List<byte[]> content = contents(machines.get(second));
      BackupRequest request = request(second, open(machines.get(second)), BlockSize.KIB_256);
      InProcessConnector connector = new InProcessConnector(repository.links());
      CompletableFuture<Void> other =
          Background.run(() -> attempt(second, content, request, connector));
      backup(first, weather);
      other.join();
    } else {
      List<Long> points = new ArrayList<>(model.of(name(first).value()).keySet());
      CompletableFuture<Void> other =
          Background.run(() -> points.forEach(sequence -> checkBeside(first, sequence)));
      backup(first, weather);
      other.join();
    }
  }

  private void checkBeside(int machine, long sequence) {
    try {
      check(name(machine).value(), sequence);
    } catch (MoverException e) {
      expected(e);
    }
  }

  private void whenFull() throws IOException {
    trouble = true;
    disk.fill();
    backup(random.nextInt(machines.size()), LinkWeather.FAIR);
    if (random.nextBoolean()) {
      delete();
    }
    disk.free();
    trouble = false;
    int machine = random.nextInt(machines.size());
    settle(machine);
    backup(machine, LinkWeather.FAIR); // goes on by itself
  }

  /** What verify found is healed by the next backup that still has the block. */
  private void rot() throws IOException {
    Optional<SimulatedDisk.Rotten> rotten = disk.rot();
    if (rotten.isEmpty()) {
      return;
    }
    SimulatedDisk.Rotten bad = rotten.get();
    boolean wasRotten = model.rotten(bad.machine()).contains(bad.sequence()); // another block of it
    Verdicts found = verdicts();
    found.list().stream()
        .filter(v -> v.outcome() == Verdict.Outcome.DAMAGED)
        .forEach(v -> model.rotten(v.machine()).add(v.sequence()));
    assertThat(model.rotten(bad.machine())).contains(bad.sequence());
    if (random.nextBoolean()) {
      return;
    }
    int machine = index(bad.machine());
    backup(machine, LinkWeather.FAIR, bad.blockSize());
    Set<BlockId> now =
        blocks(
            contents(machines.get(machine)),
            bad.blockSize(),
            isEncrypted(machine) ? DOMAIN.writerKeys().idKey() : IdKey.NONE);
    if (now.contains(bad.id()) && !wasRotten) {
      assertThat(verdicts().list())
          .filteredOn(v -> v.machine().equals(bad.machine()) && v.sequence() == bad.sequence())
          .singleElement()
          .satisfies(v -> assertThat(v.outcome()).isEqualTo(Verdict.Outcome.SOUND));
      healed++;
    }
  }

  private static Set<BlockId> blocks(List<byte[]> disks, BlockSize size, IdKey key) {
    Set<BlockId> ids = new HashSet<>();
    BlockDigest digest = new BlockDigest();
    for (byte[] bytes : disks) {
      for (long block = 0; block < size.count(bytes.length); block++) {
        int length = size.lengthAt(block, bytes.length);
        ByteBuffer plain = ByteBuffer.allocateDirect(length);
        plain.put(bytes, (int) (block * size.bytes()), length).flip();
        ids.add(digest.id(plain, key));
      }
    }
    return ids;
  }

  private Verdicts verdicts() {
    Verdicts verdicts = new Verdicts();
    proxy.verify("", 0, true, new InProcessConnector(repository.links()), verdicts);
    return verdicts;
  }

  private void delete() {
    int machine = random.nextInt(machines.size());
    String name = name(machine).value();
    List<Long> points = new ArrayList<>(model.of(name).keySet());
    if (points.isEmpty()) {
      return;
    }
    List<Long> which = List.of(points.get(random.nextInt(points.size())));
    try {
      proxy.delete(
          name(machine),
          which.getFirst(),
          RemovalMode.DELETE,
          new InProcessConnector(repository.links()),
          removal -> assertThat(removal.sequences()).isEqualTo(which));
      model.deleted(name, which);
    } catch (MoverException e) {
      expected(e);
      model.mayLack(name, which);
    }
  }

  private void retain() {
    Retention keep =
        random.nextBoolean()
            ? new Retention(1 + random.nextInt(3), 0, 0, 0, 0)
            : new Retention(0, 1 + random.nextInt(3), 0, random.nextInt(2), 0);
    proxy.retain(
        "",
        keep,
        RemovalMode.DELETE,
        new InProcessConnector(repository.links()),
        removal -> {
          assertThat(removal.problem()).isEmpty();
          List<Long> before = List.copyOf(model.of(removal.machine()).keySet());
          model.deleted(removal.machine(), removal.sequences());
          if (keep.last() > 0) {
            int from = Math.max(0, before.size() - keep.last());
            assertThat(model.of(removal.machine()).keySet())
                .containsExactlyElementsOf(before.subList(from, before.size()));
          }
          assertThat(model.of(removal.machine())).containsKey(before.getLast());
        });
  }

  private void rebuildIndex() throws IOException {
    disk.close();
    Repository.rebuildIndex(disk.directory(), _ -> {});
    repository = disk.open(options);
  }

  private void reopen() throws IOException {
    crashes += disk.hasCrashed() ? 1 : 0;
    disk.close();
    repository = disk.open(options);
    for (int machine = 0; machine < machines.size(); machine++) {
      settle(machine);
    }
  }

  private void settle(int machine) {
    String name = name(machine).value();
    List<Long> listed = new ArrayList<>();
    proxy.points(
        name,
        new InProcessConnector(repository.links()),
        point -> {
          assertThat(point.isReadable()).as("%s %d", name, point.sequence()).isTrue();
          listed.add(point.sequence());
        });
    model.settle(name, listed, sequence -> restored(name, sequence));
  }

  /** Every point that must be there is, whole, and no other. */
  private void checkAll() {
    for (int machine = 0; machine < machines.size(); machine++) {
      settle(machine);
    }
    Verdicts verdicts = verdicts();
    for (Verdict verdict : verdicts.list()) {
      if (verdict.outcome() == Verdict.Outcome.SOUND) {
        model.rotten(verdict.machine()).remove(verdict.sequence());
      } else {
        assertThat(verdict.outcome()).isEqualTo(Verdict.Outcome.DAMAGED);
        assertThat(model.rotten(verdict.machine())).contains(verdict.sequence());
      }
    }
    int points = 0;
    for (String machine : model.machines()) {
      for (long sequence : model.of(machine).keySet()) {
        check(machine, sequence);
        points++;
      }
    }
    assertThat(verdicts.list()).hasSize(points);
  }

  private void check(String machine, long sequence) {
    List<byte[]> disks;
    synchronized (model) {
      disks = Objects.requireNonNull(model.of(machine).get(sequence));
    }
    try {
      if (!PointModel.equal(disks, restored(machine, sequence))) {
        throw new AssertionError("point %d of %s is not what it was".formatted(sequence, machine));
      }
    } catch (DataException e) {
      if (e.code() != ErrorCode.BLOCK_DAMAGED || !model.rotten(machine).contains(sequence)) {
        throw e;
      }
    }
  }

  private List<byte[]> restored(String machine, long sequence) {
    int index = index(machine);
    List<byte[]> disks = new ArrayList<>();
    for (int i = 0; i < machines.get(index).size(); i++) {
      Path target;
      synchronized (this) {
        target = folder.resolve("restored-" + files++);
      }
      proxy.restore(
          new RestoreRequest(
              new Name(machine),
              sequence,
              Optional.of(new Name("d" + i)),
              target,
              false,
              false,
              isEncrypted(index) ? Optional.of(READER) : Optional.empty()),
          new InProcessConnector(repository.links()),
          Progress.Listener.NONE);
      try {
        disks.add(Files.readAllBytes(target));
        Files.delete(target);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return disks;
  }

  private static List<byte[]> contents(List<Path> disks) throws IOException {
    List<byte[]> contents = new ArrayList<>();
    for (Path path : disks) {
      contents.add(Files.readAllBytes(path));
    }
    return contents;
  }

  private static int index(String machine) {
    return Integer.parseInt(machine.substring(machine.indexOf(' ') + 1));
  }

  private static Name name(int machine) {
    return new Name("machine " + machine);
  }

  private static List<DiskSource> open(List<Path> disks) {
    List<DiskSource> sources = new ArrayList<>();
    for (int i = 0; i < disks.size(); i++) {
      sources.add(DirectSource.open(new Name("d" + i), disks.get(i)));
    }
    return sources;
  }
}
