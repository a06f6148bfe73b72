package dev.mover.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.point.Name;
import dev.mover.api.point.Verdict;
import dev.mover.api.source.DiskSource;
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
import dev.mover.testkit.DiskImages;
import dev.mover.testkit.Seeds;
import dev.mover.transport.inprocess.InProcessConnector;
import dev.mover.transport.inprocess.LinkWeather;
import dev.mover.transport.inprocess.LinkWeather.Direction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whole histories of a real proxy and a real repository over the in-process transport, with seeded
 * delays and lost links, checked against copies of every disk at every point.
 */
@Timeout(120)
class WholeRunsTest {
  private static final int STEPS = 6;
  private static final long MOST_DISK_BYTES = 6L << 20;

  /** Where every link of a run breaks at the same frame, some runs never get on. */
  private static final LinkPatience IMPATIENT =
      new LinkPatience(Duration.ofMillis(5), Duration.ofMillis(300));

  @TempDir Path dir;

  /** A point that was committed, and what its disks held. */
  private record Kept(Name machine, long sequence, List<Path> disks) {}

  @Test
  void everyPointOfAnyHistoryRestoresAndVerifies() {
    Seeds.check(6, random -> new History(Files.createTempDirectory(dir, "history"), random).run());
  }

  /** One random history on one repository. */
  private static final class History {
    private final Path folder;
    private final RandomGenerator random;
    private final List<Kept> kept = new ArrayList<>();
    private final List<List<Path>> machines = new ArrayList<>();
    private int files;

    History(Path folder, RandomGenerator random) throws IOException {
      this.folder = folder;
      this.random = random;
      for (int machine = 0; machine < 1 + random.nextInt(3); machine++) {
        List<Path> disks = new ArrayList<>();
        for (int disk = 0; disk < 1 + random.nextInt(3); disk++) {
          Path image = folder.resolve("m" + machine + "-d" + disk + ".raw");
          DiskImages.create(image, random.nextLong(MOST_DISK_BYTES), random.nextInt(3));
          disks.add(image);
        }
        machines.add(disks);
      }
    }

    void run() throws IOException {
      RepositoryOptions options =
          RepositoryOptions.DEFAULT.withMaxConcurrentTasks(1 + random.nextInt(3));
      ProxyOptions proxyOptions = new ProxyOptions(1 + random.nextInt(3), 2);
      try (Proxy proxy = new Proxy(proxyOptions, Clock.systemUTC(), IMPATIENT)) {
        for (int step = 0; step < STEPS; step++) {
          // Opened anew now and then: what it knows must come from its files.
          try (Repository repository = Repository.open(folder.resolve("repository"), options)) {
            if (step(proxy, repository)) {
              step(proxy, repository);
            } // or its session, which is waited for, would keep its slots for a minute
          }
        }
        try (Repository repository = Repository.openReadOnly(folder.resolve("repository"))) {
          checkAll(proxy, new InProcessConnector(repository.links()));
        }
      }
    }

    /** False when the proxy gave up. */
    private boolean step(Proxy proxy, Repository repository) throws IOException {
      int machine = random.nextInt(machines.size());
      List<Path> disks = machines.get(machine);
      for (Path disk : disks) {
        DiskImages.change(disk, random.nextInt(4), random.nextLong());
      }
      LinkWeather weather = LinkWeather.delays(random.nextLong(), random.nextInt(3000));
      boolean stormy = random.nextInt(3) == 0;
      if (stormy) {
        Direction direction = random.nextBoolean() ? Direction.TO_PROXY : Direction.TO_REPOSITORY;
        weather = weather.losing(direction, random.nextInt(12));
      }
      BackupRequest request =
          new BackupRequest(
              new Name("machine " + machine),
              open(disks),
              random.nextInt(4) == 0 ? BlockSize.MIB_1 : BlockSize.KIB_256,
              Compression.OPTIMAL);
      InProcessConnector connector = new InProcessConnector(repository.links(), weather);
      try {
        BackupResult result = proxy.backup(request, connector, Progress.Listener.NONE);
        keep(machine, result.sequence(), disks);
        return true;
      } catch (MoverException e) {
        assertThat(stormy).as("fails in good weather: " + e).isTrue();
        assertThat(e.code()).isEqualTo(ErrorCode.LINK_LOST);
        keepIfCommitted(proxy, repository, machine, disks);
        return false;
      }
    }

    /** A link that broke after COMMIT may have left a point; then it must be this one, whole. */
    private void keepIfCommitted(Proxy proxy, Repository repository, int machine, List<Path> disks)
        throws IOException {
      List<Long> sequences = new ArrayList<>();
      proxy.points(
          "machine " + machine,
          new InProcessConnector(repository.links()),
          point -> sequences.add(point.sequence()));
      long known = kept.stream().filter(k -> k.machine().equals(name(machine))).count();
      assertThat((long) sequences.size()).isBetween(known, known + 1);
      if (sequences.size() > known) {
        keep(machine, sequences.getLast(), disks);
      }
    }

    private void keep(int machine, long sequence, List<Path> disks) throws IOException {
      List<Path> copies = new ArrayList<>();
      for (Path disk : disks) {
        copies.add(Files.copy(disk, folder.resolve("kept-" + files++)));
      }
      kept.add(new Kept(name(machine), sequence, copies));
    }

    private void checkAll(Proxy proxy, InProcessConnector connector) throws IOException {
      Verdicts verdicts = new Verdicts();
      proxy.verify("", 0, true, connector, verdicts);
      assertThat(verdicts.list()).hasSize(kept.size());
      assertThat(verdicts.list()).allMatch(v -> v.outcome() == Verdict.Outcome.SOUND);
      for (Kept point : kept) {
        for (int disk = 0; disk < point.disks().size(); disk++) {
          Path target = folder.resolve("restored-" + files++);
          proxy.restore(
              new RestoreRequest(
                  point.machine(),
                  point.sequence(),
                  Optional.of(new Name("d" + disk)),
                  target,
                  false),
              connector,
              Progress.Listener.NONE);
          assertThat(target).hasSameBinaryContentAs(point.disks().get(disk));
        }
      }
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

  @Test
  void aSecondWriterIsRefusedAndReadersAreNot() {
    Path repository = dir.resolve("repository");
    try (Repository first = Repository.open(repository, RepositoryOptions.DEFAULT);
        Repository reader = Repository.openReadOnly(repository)) {
      assertThat(first.status().points()).isZero();
      assertThat(reader.status().points()).isZero();
      assertThatThrownBy(() -> Repository.open(repository, RepositoryOptions.DEFAULT).close())
          .isInstanceOfSatisfying(
              MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.REPOSITORY_BUSY));
    }
  }
}
