package dev.mover.dedup.index.rocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.block.BlockId;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.RepositoryException;
import dev.mover.dedup.index.BlockPlace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RocksStoreTest {
  private static final BlockId ID = new BlockId(1, 2, 3, 4);
  private static final BlockPlace PLACE = new BlockPlace(new UUID(5, 6), 4096, 7, 0);

  @TempDir Path folder;

  @Test
  void freesEveryNativeHandle() {
    RocksStore store = RocksStore.open(folder);
    assertThat(store.openHandles()).isGreaterThanOrEqualTo(10);
    store.index().put(Map.of(ID, PLACE));
    store.close();
    store.close();
    assertThat(store.openHandles()).isZero();
  }

  @Test
  void failsWhenClosedInsteadOfTouchingFreedMemory() {
    RocksStore store = RocksStore.open(folder);
    store.close();
    assertIndexFailed(() -> store.index().find(List.of(ID))).hasMessageContaining("is closed");
    assertIndexFailed(() -> store.index().put(Map.of(ID, PLACE)));
    assertIndexFailed(() -> store.catalogue().list("", "", 1));
  }

  @Test
  void refusesADatabaseThatAnotherHolds() {
    try (RocksStore first = RocksStore.open(folder)) {
      assertIndexFailed(() -> RocksStore.open(folder).close())
          .hasMessageContaining(folder.toString());
      first.index().put(Map.of(ID, PLACE));
      assertThat(first.index().find(List.of(ID))).containsExactly(PLACE);
    }
  }

  @Test
  void refusesADamagedDatabaseAndStartsAgainOnceItIsRemoved() throws IOException {
    fill(folder);
    Path manifest = only("MANIFEST-");
    Files.write(manifest, new byte[100], StandardOpenOption.TRUNCATE_EXISTING);
    assertDamaged(() -> RocksStore.open(folder).close());
    RocksStore.destroy(folder);
    try (RocksStore store = RocksStore.open(folder)) {
      assertThat(store.index().find(List.of(ID))).containsExactly((BlockPlace) null);
      store.index().put(Map.of(ID, PLACE));
      assertThat(store.index().find(List.of(ID))).containsExactly(PLACE);
    }
  }

  @Test
  void refusesADatabaseWithoutItsTable() throws IOException {
    fill(folder);
    Files.write(
        folder.resolve("CURRENT"),
        "nonsense\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    assertDamaged(() -> RocksStore.open(folder).close());
    RocksStore.destroy(folder);
    RocksStore.open(folder).close();
  }

  @Test
  void refusesADatabaseOfWhichAFileIsGone() throws IOException {
    fill(folder);
    Files.delete(only("MANIFEST-"));
    assertDamaged(() -> RocksStore.open(folder).close());
  }

  @Test
  void destroysWhatIsNotThere() {
    Path nothing = folder.resolve("nothing");
    RocksStore.destroy(nothing);
    RocksStore.open(nothing).close();
  }

  @Test
  void namesTheFolderItCannotUse() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    assertIndexFailed(() -> RocksStore.open(file).close()).hasMessageContaining(file.toString());
  }

  @Test
  void keepsFewLogFiles() throws IOException {
    for (int i = 0; i < 8; i++) {
      RocksStore.open(folder, 4 << 20).close();
    }
    try (var files = Files.list(folder)) {
      assertThat(files.filter(f -> f.getFileName().toString().startsWith("LOG")))
          .hasSizeLessThan(6);
    }
  }

  private static void fill(Path folder) {
    try (RocksStore store = RocksStore.open(folder)) {
      store.index().put(Map.of(ID, PLACE));
      store.index().sync();
    }
  }

  private Path only(String prefix) throws IOException {
    try (var files = Files.list(folder)) {
      return files
          .filter(f -> f.getFileName().toString().startsWith(prefix))
          .findAny()
          .orElseThrow();
    }
  }

  private static AbstractThrowableAssert<?, ? extends Throwable> assertIndexFailed(
      ThrowingCallable call) {
    return assertFails(ErrorCode.INDEX_FAILED, call);
  }

  private static void assertDamaged(ThrowingCallable call) {
    assertFails(ErrorCode.INDEX_DAMAGED, call);
  }

  private static AbstractThrowableAssert<?, ? extends Throwable> assertFails(
      ErrorCode code, ThrowingCallable call) {
    return assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RepositoryException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}
