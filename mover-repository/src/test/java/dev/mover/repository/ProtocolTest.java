package dev.mover.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.point.DiskSpec;
import dev.mover.api.point.Name;
import dev.mover.transport.frame.BeginDisk;
import dev.mover.transport.frame.Commit;
import dev.mover.transport.frame.EndDisk;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.Get;
import dev.mover.transport.frame.Granted;
import dev.mover.transport.frame.Offer;
import dev.mover.transport.frame.Open;
import dev.mover.transport.frame.Ping;
import dev.mover.transport.frame.ReadMap;
import dev.mover.transport.frame.ReadPoint;
import dev.mover.transport.frame.Same;
import dev.mover.transport.frame.Verify;
import dev.mover.transport.frame.Zero;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a repository says to a peer that does what it may not, and what it keeps doing meanwhile.
 */
class ProtocolTest {
  private static final BlockSize SIZE = BlockSize.KIB_256;
  private static final byte[] DISK = Content.disk(4 * SIZE.bytes(), 1);
  private static final BlockId ANY = new BlockId(1, 2, 3, 4);

  @TempDir Path temp;
  private @Nullable Repository opened;

  @BeforeEach
  void fresh() {
    opened = Repository.open(temp, RepositoryOptions.DEFAULT.withMaxConcurrentTasks(2));
  }

  private Repository repository() {
    return Objects.requireNonNull(opened);
  }

  @AfterEach
  void close() {
    Repository repository = repository();
    repository.close();
    assertThat(repository.leasedBytes()).isZero();
    assertThat(repository.status().sessions()).isZero();
    assertThat(repository.status().runningTasks()).isZero();
  }

  static Stream<Arguments> violations() {
    return Stream.of(
        violation("no disk of that number", p -> p.send(new BeginDisk(2))),
        violation("a disk begun twice", p -> send(p, new BeginDisk(1), new BeginDisk(1))),
        violation("a disk that was not begun", p -> p.send(new Zero(1, 0, 1))),
        violation("a gap", p -> p.send(new Zero(0, 1, 1))),
        violation("a step back", p -> send(p, new Zero(0, 0, 2), new Zero(0, 1, 1))),
        violation("beyond the end", p -> p.send(new Zero(0, 0, 5))),
        violation("an offer beyond the end", p -> p.send(new Offer(0, 0, ids(5)))),
        violation("SAME without a parent", p -> p.send(new Same(0, 0, 1))),
        violation("END_DISK early", p -> p.send(new EndDisk(0, ANY))),
        violation(
            "END_DISK with blocks unwritten",
            p -> {
              p.offer(0, 0, ids(4));
              p.send(new EndDisk(0, ANY));
            }),
        violation("COMMIT early", p -> p.send(new Commit(p.sessionId))),
        violation("COMMIT of another session", p -> p.send(new Commit(UUID.randomUUID()))),
        violation("a second OPEN", p -> p.send(openFrame(p.sessionId, "db"))),
        violation("a reader's frame", p -> p.send(new Get(0))),
        violation("a block not asked for", p -> p.sendBlockBeyondCredit(0, 1, 0)),
        violation(
            "a block sent twice",
            p -> {
              p.offer(0, 0, List.of(p.id(0, 0), p.id(0, 1)));
              p.sendBlock(0, 0);
              p.await("ACK", () -> p.acked == 1);
              p.sendBlock(0, 0);
            }),
        violation(
            "another content than offered",
            p -> {
              p.offer(0, 0, ids(1));
              p.sendBlock(0, 0);
            }));
  }

  private static Arguments violation(String what, Consumer<ScriptedProxy> breach) {
    return Arguments.of(what, breach);
  }

  private static void send(ScriptedProxy proxy, Frame... frames) {
    for (Frame frame : frames) {
      proxy.send(frame);
    }
  }

  private static List<BlockId> ids(int count) {
    return Stream.iterate(new BlockId(9, 9, 9, 0), id -> new BlockId(9, 9, 9, id.d() + 1))
        .limit(count)
        .toList();
  }

  private static Open openFrame(UUID session, String machine) {
    return new Open(
        session, new Name(machine), SIZE, List.of(new DiskSpec(new Name("d"), 4096, 512)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("violations")
  void endsASessionThatBreaksTheProtocol(String what, Consumer<ScriptedProxy> breach) {
    try (ScriptedProxy proxy = new ScriptedProxy(repository().links(), SIZE)) {
      proxy.open("web", two());
      proxy.begin(0);
      breach.accept(proxy);
      assertThat(proxy.expectError().code()).as(what).isEqualTo(ErrorCode.PROTOCOL_VIOLATION);
    }
    ScriptedProxy.backup(repository().links(), SIZE, "web", Map.of("system", DISK));
    assertThat(ScriptedReader.restore(repository().links(), "web", 1, 0)).isEqualTo(DISK);
  }

  private static Map<String, byte[]> two() {
    Map<String, byte[]> disks = new LinkedHashMap<>();
    disks.put("system", DISK);
    disks.put("data", DISK);
    return disks;
  }

  static Stream<Arguments> beginnings() {
    return Stream.of(
        Arguments.of(new BeginDisk(0), ErrorCode.PROTOCOL_VIOLATION),
        Arguments.of(new ReadMap(0, 0), ErrorCode.PROTOCOL_VIOLATION),
        Arguments.of(new Get(0), ErrorCode.PROTOCOL_VIOLATION),
        Arguments.of(new ReadPoint(new Name("nobody"), 0, false), ErrorCode.NO_SUCH_POINT),
        Arguments.of(new ReadPoint(new Name("web"), 7, false), ErrorCode.NO_SUCH_POINT),
        Arguments.of(new Verify("nobody", 0, false), ErrorCode.NO_SUCH_POINT),
        Arguments.of(new Commit(UUID.randomUUID()), ErrorCode.NO_SUCH_POINT));
  }

  @ParameterizedTest
  @MethodSource("beginnings")
  void refusesWhatNoLinkBeginsWith(Frame first, ErrorCode expected) {
    ScriptedProxy.backup(repository().links(), SIZE, "web", Map.of("system", DISK));
    assertThat(errorAfter(first).code()).isEqualTo(expected);
  }

  private MoverException errorAfter(Frame... frames) {
    try (ScriptedProxy proxy = new ScriptedProxy(repository().links(), SIZE)) {
      send(proxy, frames);
      return proxy.expectError();
    }
  }

  @Test
  void namesDisksThatAPointDoesNotHave() {
    ScriptedProxy.backup(repository().links(), SIZE, "web", Map.of("system", DISK));
    try (ScriptedReader reader = new ScriptedReader(repository().links())) {
      reader.read("web", 0);
      reader.link().send(new ReadMap(1, 0));
      assertThat(reader.link().expectError().code()).isEqualTo(ErrorCode.NO_SUCH_DISK);
    }
  }

  @Test
  void runsOneSessionOfAMachineAtATime() {
    try (ScriptedProxy first = new ScriptedProxy(repository().links(), SIZE);
        ScriptedProxy second = new ScriptedProxy(repository().links(), SIZE);
        ScriptedProxy other = new ScriptedProxy(repository().links(), SIZE)) {
      first.open("web", two());
      second.send(openFrame(second.sessionId, "web"));
      assertThat(second.expectError().code()).isEqualTo(ErrorCode.MACHINE_BUSY);
      other.open("db", two());
      assertThat(repository().status().sessions()).isEqualTo(2);
    }
  }

  @Test
  void boundsTasksOverAllSessionsAndServesThemFairly() {
    try (ScriptedProxy first = new ScriptedProxy(repository().links(), SIZE);
        ScriptedProxy second = new ScriptedProxy(repository().links(), SIZE)) {
      first.open("web", two());
      second.open("db", two());
      first.begin(0);
      second.begin(0);
      second.send(new BeginDisk(1));
      ScriptedProxy.poll("QUEUED", () -> repository().status().queuedTasks() == 1);
      first.send(new BeginDisk(1));
      first.stream(0);
      // The second asked earlier, but runs one; the first runs none now.
      assertThat(first.expect(Granted.class).disk()).isEqualTo(1);
      first.stream(1);
      assertThat(second.expect(Granted.class).disk()).isEqualTo(1);
      second.stream(0);
      second.stream(1);
      first.commit();
      second.commit();
      assertThat(repository().status().mostTasks()).isEqualTo(2);
    }
    assertThat(ScriptedReader.points(repository().links(), "")).hasSize(2);
  }

  @Test
  void restoresWhileAllTaskSlotsAreTaken() {
    ScriptedProxy.backup(repository().links(), SIZE, "web", Map.of("system", DISK));
    try (ScriptedProxy busy = new ScriptedProxy(repository().links(), SIZE)) {
      busy.open("db", two());
      busy.begin(0);
      busy.begin(1);
      assertThat(ScriptedReader.restore(repository().links(), "web", 1, 0)).isEqualTo(DISK);
    }
  }

  @Test
  void tellsOpenLinksThatItCloses() {
    try (ScriptedProxy proxy = new ScriptedProxy(repository().links(), SIZE)) {
      proxy.open("web", two());
      proxy.begin(0);
      repository().close();
      assertThat(proxy.expectError().code()).isEqualTo(ErrorCode.SHUTTING_DOWN);
    }
  }

  @Test
  void listsAllPointsBatchByBatch() {
    for (int i = 0; i < 70; i++) {
      ScriptedProxy.backup(
          repository().links(), SIZE, i % 2 == 0 ? "é" : "z/" + i, Map.of("d", new byte[1]));
    }
    assertThat(ScriptedReader.points(repository().links(), "")).hasSize(70);
    assertThat(ScriptedReader.points(repository().links(), "é")).hasSize(35);
    try (Repository readOnly = Repository.openReadOnly(temp)) {
      assertThat(ScriptedReader.points(readOnly.links(), ""))
          .isEqualTo(ScriptedReader.points(repository().links(), ""));
    }
  }

  @Test
  void aPingIsTheLinksOwnBusiness() {
    assertThat(errorAfter(new Ping(3), new Get(0)).code()).isEqualTo(ErrorCode.PROTOCOL_VIOLATION);
  }
}
