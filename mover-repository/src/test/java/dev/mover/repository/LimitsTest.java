package dev.mover.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.point.RestorePoint;
import dev.mover.repository.session.SessionStatus;
import dev.mover.testkit.Background;
import dev.mover.transport.frame.BeginDisk;
import dev.mover.transport.frame.Committed;
import dev.mover.transport.frame.Granted;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Slots, rates, a stop in good order, and what can be seen of them. */
@Timeout(60)
class LimitsTest {
  private static final BlockSize SIZE = BlockSize.KIB_256;
  private static final int BYTES = 4 << 20;

  @TempDir Path temp;
  private @Nullable Repository opened;

  @BeforeEach
  void open() {
    opened = Repository.open(temp, RepositoryOptions.DEFAULT.withMaxConcurrentTasks(1));
  }

  private Repository repository() {
    return Objects.requireNonNull(opened);
  }

  @AfterEach
  void close() {
    repository().close();
    assertThat(repository().leasedBytes()).isZero();
  }

  private static Map<String, byte[]> disks(int count, int bytes) {
    Map<String, byte[]> disks = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      byte[] noise = new byte[bytes];
      new SplittableRandom(i).nextBytes(noise);
      disks.put("disk " + i, noise);
    }
    return disks;
  }

  private ScriptedProxy proxy() {
    return new ScriptedProxy(repository().links(), SIZE);
  }

  private static double seconds(Runnable work) {
    long startNs = System.nanoTime();
    work.run();
    return (System.nanoTime() - startNs) / 1e9;
  }

  @Test
  void whoWaitsIsToldWhereItStandsAndWhy() {
    try (ScriptedProxy web = proxy();
        ScriptedProxy db = proxy();
        ScriptedProxy mail = proxy()) {
      web.open("web", disks(2, BYTES));
      db.open("db", disks(1, BYTES));
      mail.open("mail", disks(1, BYTES));
      web.begin(0);
      web.send(new BeginDisk(1));
      web.awaitPlace("1 waiting for a repository slot, 1st of 1; 1 of 1 in use by web");
      db.send(new BeginDisk(0));
      db.awaitPlace("1 waiting for a repository slot, 1st of 2; 1 of 1 in use by web");
      web.awaitPlace("2 waiting for a repository slot, 2nd of 2; 1 of 1 in use by web");
      mail.send(new BeginDisk(0));
      mail.awaitPlace("2 waiting for a repository slot, 2nd of 3; 1 of 1 in use by web");
      web.awaitPlace("3 waiting for a repository slot, 3rd of 3; 1 of 1 in use by web");
      db.link.close();
      mail.awaitPlace("1 waiting for a repository slot, 1st of 2; 1 of 1 in use by web");
    }
  }

  @Test
  void limitsOfSlotsHoldAsSoonAsTheyAreChanged() {
    try (ScriptedProxy web = proxy()) {
      web.open("web", disks(4, BYTES));
      web.begin(0);
      for (int disk = 1; disk < 4; disk++) {
        web.send(new BeginDisk(disk));
      }
      ScriptedProxy.poll("QUEUED", () -> repository().status().queuedTasks() == 3);
      repository().limit(new RepositoryLimits(4, 2, 0, 0));
      assertThat(web.expect(Granted.class).disk()).isEqualTo(1);
      assertThat(repository().status().runningTasks()).isEqualTo(2);
      web.awaitPlace("1 waiting for a slot of the extent, 1st of 2; 2 of 2 in use by web");
      repository().limit(RepositoryLimits.ofTasks(1));
      web.stream(0);
      ScriptedProxy.poll("END_DISK", () -> repository().status().runningTasks() == 1);
      assertThat(repository().status().maxConcurrentTasks()).isEqualTo(1);
      repository().limit(RepositoryLimits.ofTasks(64));
      assertThat(web.expect(Granted.class).disk()).isEqualTo(2);
      assertThat(web.expect(Granted.class).disk()).isEqualTo(3);
      assertThat(repository().status().mostTasks()).isEqualTo(3);
    }
    assertThatThrownBy(() -> RepositoryLimits.ofTasks(0)).isInstanceOf(MoverException.class);
    assertThatThrownBy(() -> new RepositoryLimits(1, 0, -1, 0))
        .hasMessageContaining("extentWriteMBps takes 0 to 1000000, not -1");
  }

  @Test
  void moreSessionsThanTasksWereConfiguredFindMemory() {
    repository().limit(RepositoryLimits.ofTasks(40));
    List<ScriptedProxy> proxies = new ArrayList<>();
    try {
      for (int i = 0; i < 40; i++) {
        ScriptedProxy proxy = new ScriptedProxy(repository().links(), BlockSize.MIB_1);
        proxies.add(proxy);
        proxy.open("machine " + i, disks(1, 1));
        proxy.begin(0);
      }
      assertThat(repository().status().runningTasks()).isEqualTo(40);
    } finally {
      proxies.forEach(ScriptedProxy::close);
    }
  }

  @Test
  void writesKeepTheExtentsLimitAndItsWaitCountsAsTheTargetsTime() {
    repository().limit(new RepositoryLimits(1, 0, 8, 0));
    Committed[] committed = new Committed[1];
    double took = seconds(() -> committed[0] = backup("web"));
    assertThat(took).isGreaterThan((BYTES / 8e6) - 0.11);
    var figures = committed[0].figures();
    assertThat(figures.outputWaitNs() / 1e9).isBetween(0.2, took);
    assertThat(figures.busyNs()).isGreaterThanOrEqualTo(figures.outputWaitNs());

    repository().limit(new RepositoryLimits(1, 0, 1, 0));
    double restored = seconds(() -> ScriptedReader.restore(repository().links(), "web", 1, 0));
    assertThat(restored).as("restores have nothing to do with it").isLessThan(BYTES / 1e6 / 2);
  }

  @Test
  void readsKeepTheExtentsLimit() {
    backup("web");
    repository().limit(new RepositoryLimits(1, 0, 0, 8));
    double took = seconds(() -> ScriptedReader.restore(repository().links(), "web", 1, 0));
    assertThat(took).isGreaterThan((BYTES / 8e6) - 0.11);
    took = seconds(() -> ScriptedReader.verify(repository().links(), "web", true));
    assertThat(took).isGreaterThan((BYTES / 8e6) - 0.11);
  }

  @Test
  void aSessionThatWaitsForASlowExtentEndsAtOnceWhenItsLinkDoes() {
    repository().limit(new RepositoryLimits(1, 0, 1, 0));
    try (ScriptedProxy proxy = proxy()) {
      Map<String, byte[]> disks = disks(1, BYTES);
      proxy.open("web", disks);
      proxy.begin(0);
      proxy.offer(0, 0, ids(proxy, 16));
      for (int block = 0; block < 16; block++) {
        proxy.sendBlock(0, block);
      }
    }
    double took =
        seconds(() -> ScriptedProxy.poll("its end", () -> repository().status().sessions() == 0));
    assertThat(took).isLessThan(2);
  }

  private static List<BlockId> ids(ScriptedProxy proxy, int count) {
    List<BlockId> ids = new ArrayList<>();
    for (int block = 0; block < count; block++) {
      ids.add(proxy.id(0, block));
    }
    return ids;
  }

  @Test
  void aStopLetsNobodyInAndWaitsForWhatRuns() {
    try (ScriptedProxy web = proxy();
        ScriptedProxy idle = proxy()) {
      web.open("web", disks(1, BYTES));
      web.begin(0);
      assertThat(repository().drain(Duration.ZERO)).isFalse();
      assertThat(idle.expectError().code()).isEqualTo(ErrorCode.SHUTTING_DOWN);
      assertThatThrownBy(this::proxy)
          .isInstanceOfSatisfying(
              MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SHUTTING_DOWN));
      CompletableFuture<Boolean> drained =
          Background.supply(() -> repository().drain(Duration.ofSeconds(50)));
      web.stream(0);
      web.commit();
      assertThat(drained).isNotDone();
      web.link.close();
      assertThat(drained.join()).isTrue();
    }
    assertThat(repository().status().points()).isEqualTo(1);
  }

  @Test
  void aSessionStillRunningAtTheDeadlineIsToldAndLeavesAPartial() throws Exception {
    try (ScriptedProxy web = proxy()) {
      web.open("web", disks(2, BYTES));
      web.begin(0);
      web.stream(0);
      assertThat(repository().drain(Duration.ofMillis(1))).isFalse();
      repository().close();
      assertThat(web.expectError().code()).isEqualTo(ErrorCode.SHUTTING_DOWN);
    }
    try (Stream<Path> files = Files.walk(temp.resolve("machines"))) {
      assertThat(files.filter(file -> file.toString().endsWith(".partial"))).hasSize(1);
    }
    open();
    backup("web");
  }

  @Test
  void sessionsCanBeSeen() {
    try (ScriptedProxy web = proxy()) {
      web.open("web", disks(2, BYTES));
      web.begin(0);
      web.send(new BeginDisk(1));
      ScriptedProxy.poll("QUEUED", () -> repository().status().queuedTasks() == 1);
      SessionStatus session = repository().sessions().getFirst();
      assertThat(session.machine()).isEqualTo("web");
      assertThat(session.sessionId()).isEqualTo(web.sessionId);
      assertThat(session.disks()).containsExactly("disk 0", "disk 1");
      assertThat(session.state()).isEqualTo("streaming");
      assertThat(session.runningTasks()).isEqualTo(1);
      assertThat(session.queuedTasks()).isEqualTo(1);
      assertThat(session.peer()).isNotEmpty();
      web.stream(0);
      assertThat(repository().sessions().getFirst().storedBytes()).isGreaterThan(BYTES);
      try (ScriptedProxy db = proxy()) {
        db.open("db", disks(1, 1));
        db.send(new BeginDisk(0));
        // Not the count of queued tasks: the other session's second disk may still be one of them.
        ScriptedProxy.poll(
            "waiting", () -> repository().sessions().getLast().state().equals("waiting"));
      }
    }
    ScriptedProxy.poll("the session's end", () -> repository().sessions().isEmpty());
  }

  @Test
  void countsWhatItDoes() {
    backup("web");
    backup("web"); // all of it known
    ScriptedReader.restore(repository().links(), "web", 1, 0);
    try (ScriptedProxy wrong = proxy()) {
      wrong.send(new BeginDisk(0));
      wrong.expectError();
    }
    var figures = repository().figures();
    assertThat(figures.receivedBytes()).isEqualTo(BYTES);
    assertThat(figures.storedBytes()).isBetween((long) BYTES, BYTES * 11L / 10);
    assertThat(figures.linkedBytes()).isBetween((long) BYTES, BYTES * 11L / 10);
    assertThat(figures.servedBytes()).isEqualTo(BYTES);
    assertThat(figures.commits().count()).isEqualTo(2);
    assertThat(figures.commits().totalNs()).isPositive();
    assertThat(figures.errors(ErrorCode.PROTOCOL_VIOLATION)).isEqualTo(1);
    assertThat(figures.errors(ErrorCode.INTERNAL)).isZero();
    assertThat(repository().memory())
        .extracting(MemoryStatus::name)
        .containsExactly("receive", "serve", "metadata");
    assertThat(repository().extents().getFirst().capacityBytes()).isPositive();
  }

  @Test
  void pointsAreListedPageByPage() {
    backup("web");
    backup("db");
    backup("web");
    List<RestorePoint> first = repository().points("", "", 0, 2);
    assertThat(first).extracting(p -> p.machine().value()).containsExactly("db", "web");
    assertThat(repository().points("", "web", 1, 2))
        .singleElement()
        .satisfies(p -> assertThat(p.sequence()).isEqualTo(2));
    assertThat(repository().points("db", "", 0, 9)).hasSize(1);
  }

  private Committed backup(String machine) {
    return ScriptedProxy.backup(repository().links(), SIZE, machine, disks(1, BYTES));
  }
}
