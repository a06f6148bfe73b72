package dev.mover.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.point.RestorePoint;
import dev.mover.api.point.Verdict.Outcome;
import dev.mover.testkit.LoopMount;
import dev.mover.testkit.LoopMount.Kind;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;

/** A repository on a real file system, and a machine of which points come and go. */
abstract class DeletablePoints {
  static final BlockSize SIZE = BlockSize.KIB_256;

  final Kind kind;
  @AutoClose final LoopMount mount;
  final Path directory;
  final FaultyFiles files = new FaultyFiles();

  /** What the points of machine web hold, by sequence. */
  final Map<Long, byte[]> web = new HashMap<>();

  private @Nullable Repository repository;

  DeletablePoints(Kind kind) {
    this.kind = kind;
    this.mount = LoopMount.orSkip(kind, 320L << 20);
    this.directory = mount.folder().resolve("repository");
  }

  @BeforeEach
  void open() {
    close();
    repository =
        Repository.open(directory, RepositoryOptions.DEFAULT, files::over, RepositoryTimes.DEFAULT);
  }

  @AfterEach
  void close() {
    if (repository != null) {
      repository.close();
      assertThat(repository.leasedBytes()).isZero();
      repository = null;
    }
  }

  Repository repository() {
    return Objects.requireNonNull(repository);
  }

  /** Points of a machine of 12 blocks, of which every point changes two. */
  void backUpWeb(int points) {
    byte[] disk = Content.disk(12 * SIZE.bytes(), 7);
    for (int i = 0; i < points; i++) {
      disk[i % 12 * SIZE.bytes() + 5] ^= (byte) (1 + i);
      disk[(i * 5 + 3) % 12 * SIZE.bytes() + 5] ^= (byte) (1 + i);
      backup("web", disk);
    }
  }

  void backup(String machine, byte[] disk) {
    long sequence =
        ScriptedProxy.backup(repository().links(), SIZE, machine, Map.of("system", disk))
            .sequence();
    if (machine.equals("web")) {
      web.put(sequence, disk.clone());
    }
  }

  ScriptedRemoval delete(long sequence) {
    ScriptedRemoval removal = ScriptedRemoval.delete(repository().links(), "web", sequence);
    removal.only().sequences().forEach(web::remove);
    return removal;
  }

  /** Everything that is left, and nothing else, is listed, restores and verifies. */
  void assertWhole() {
    assertThat(sequences("web")).containsExactlyElementsOf(web.keySet().stream().sorted().toList());
    web.forEach(
        (sequence, disk) ->
            assertThat(ScriptedReader.restore(repository().links(), "web", sequence, 0))
                .as("point %d", sequence)
                .isEqualTo(disk));
    assertThat(ScriptedReader.verify(repository().links(), "", true))
        .allSatisfy(
            v -> {
              assertThat(v.findings()).isEmpty();
              assertThat(v.outcome()).isEqualTo(Outcome.SOUND);
            });
  }

  List<Long> sequences(String machine) {
    return ScriptedReader.points(repository().links(), machine).stream()
        .map(RestorePoint::sequence)
        .toList();
  }

  static void assertCode(ErrorCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(MoverException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}
