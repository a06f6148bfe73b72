package dev.mover.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.point.Verdict.Outcome;
import dev.mover.testkit.LoopMount;
import dev.mover.testkit.LoopMount.Kind;
import java.nio.file.Path;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;

/** A repository on a file system of its own, whose disk does what a test says. */
abstract class MountedRepository {
  static final BlockSize SIZE = BlockSize.KIB_256;

  final Kind kind;
  @AutoClose final LoopMount mount;
  final Path directory;
  final FaultyFiles files = new FaultyFiles();
  private @Nullable Repository repository;

  MountedRepository(Kind kind) {
    this.kind = kind;
    this.mount = LoopMount.orSkip(kind, 320L << 20);
    this.directory = mount.folder().resolve("repository");
  }

  /** How long it waits for what. */
  RepositoryTimes times() {
    return RepositoryTimes.DEFAULT;
  }

  /** Opens it, again if need be. */
  @BeforeEach
  void open() {
    open(times());
  }

  void open(RepositoryTimes times) {
    close();
    repository = Repository.open(directory, RepositoryOptions.DEFAULT, files::over, times);
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

  /** Everything there is verifies, and has no finding. */
  void assertSound() {
    assertThat(ScriptedReader.verify(repository().links(), "", true))
        .allSatisfy(
            v -> {
              assertThat(v.findings()).isEmpty();
              assertThat(v.outcome()).isEqualTo(Outcome.SOUND);
            });
  }

  static void assertCode(ErrorCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(MoverException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}
