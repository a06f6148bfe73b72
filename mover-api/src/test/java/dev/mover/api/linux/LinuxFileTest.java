package dev.mover.api.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.error.Side;
import dev.mover.api.linux.LinuxFile.Flag;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.memory.BufferSet;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What holds on any file system, for any user. */
class LinuxFileTest {
  @TempDir Path folder;

  @Test
  void namesTheCallTheFileAndTheCause() {
    Path missing = folder.resolve("missing");
    assertThatThrownBy(() -> LinuxFile.open(missing))
        .isInstanceOfSatisfying(
            LinuxException.class, e -> assertThat(e.errno()).isEqualTo(LinuxException.ENOENT))
        .hasMessageContaining("open " + missing + ": no such file or directory");
  }

  @Test
  void createsExclusively() throws IOException {
    Path file = folder.resolve("new");
    LinuxFile.open(file, Flag.WRITE, Flag.CREATE, Flag.EXCLUSIVE).close();
    assertThatThrownBy(() -> LinuxFile.open(file, Flag.WRITE, Flag.CREATE, Flag.EXCLUSIVE))
        .isInstanceOfSatisfying(
            LinuxException.class, e -> assertThat(e.errno()).isEqualTo(LinuxException.EEXIST));
  }

  @Test
  void readsFewerBytesOnlyAtTheEnd() throws IOException {
    Path path = folder.resolve("file");
    Files.write(path, new byte[] {1, 2, 3, 4, 5});
    try (LinuxFile file = LinuxFile.open(path)) {
      ByteBuffer into = ByteBuffer.allocateDirect(10);
      into.position(2);
      assertThat(file.read(into, 1)).isEqualTo(4);
      assertThat(into.position()).isEqualTo(6);
      assertThat(into.get(2)).isEqualTo((byte) 2);
      assertThat(file.read(into, 5)).isZero();
      assertThat(file.read(into, 1000)).isZero();
      assertThat(file.size()).isEqualTo(5);
    }
  }

  @Test
  void touchesNoMemoryBeyondTheBuffer() throws IOException {
    Path path = folder.resolve("file");
    Files.write(path, new byte[3 * 4096]);
    try (LinuxFile file = LinuxFile.open(path, Flag.WRITE);
        BufferPool pool = new BufferPool("test", Side.PROXY, 1 << 20);
        BufferSet one = pool.lease(4096, 1, () -> {})) {
      BlockBuffer page = Objects.requireNonNull(one.tryTake());
      assertThatThrownBy(() -> file.read(page, 8192, 0))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> file.write(page, 8192, 0))
          .isInstanceOf(IndexOutOfBoundsException.class);
      page.release();
    }
    assertThat(path).hasBinaryContent(new byte[3 * 4096]);
  }

  @Test
  void writesWhereItIsTold() throws IOException {
    Path path = folder.resolve("file");
    try (LinuxFile file = LinuxFile.open(path, Flag.WRITE, Flag.CREATE)) {
      ByteBuffer from = ByteBuffer.allocateDirect(4).putInt(0, 0x01020304);
      from.position(1);
      file.write(from, 2);
      assertThat(from.hasRemaining()).isFalse();
      file.truncate(6);
      file.sync();
    }
    LinuxFile.syncDirectory(folder);
    assertThat(Files.readAllBytes(path)).containsExactly(0, 0, 2, 3, 4, 0);
  }

  @Test
  void refusesToWriteAFileOpenedForReading() throws IOException {
    Path path = Files.createFile(folder.resolve("file"));
    try (LinuxFile file = LinuxFile.open(path)) {
      assertThatThrownBy(() -> file.write(ByteBuffer.allocateDirect(1), 0))
          .isInstanceOf(LinuxException.class);
    }
  }

  @Test
  void renamesWithoutReplacing() throws IOException {
    Path from = Files.writeString(folder.resolve("from"), "new");
    Path to = Files.writeString(folder.resolve("to"), "old");
    assertThatThrownBy(() -> LinuxFile.renameWithoutReplacing(from, to))
        .isInstanceOfSatisfying(
            LinuxException.class, e -> assertThat(e.errno()).isEqualTo(LinuxException.EEXIST));
    assertThat(to).hasContent("old");
    Path free = folder.resolve("free");
    LinuxFile.renameWithoutReplacing(from, free);
    assertThat(free).hasContent("new");
    assertThat(from).doesNotExist();
  }

  @Test
  void exchangesNamesThatAreThere() throws IOException {
    Path one = Files.writeString(folder.resolve("one"), "1");
    Path other = Files.writeString(folder.resolve("other"), "2");
    LinuxFile.exchange(one, other);
    assertThat(one).hasContent("2");
    assertThat(other).hasContent("1");
    Path gone = folder.resolve("gone");
    assertThatThrownBy(() -> LinuxFile.exchange(one, gone)).isInstanceOf(LinuxException.class);
    assertThat(one).hasContent("2");
    assertThat(gone).doesNotExist();
  }

  @Test
  void letsOneDescriptorHoldTheLock() throws IOException {
    Path path = Files.createFile(folder.resolve("lock"));
    try (LinuxFile one = LinuxFile.open(path, Flag.WRITE);
        LinuxFile two = LinuxFile.open(path, Flag.WRITE)) {
      assertThat(one.tryLock(true)).isTrue();
      assertThat(two.tryLock(true)).isFalse();
      assertThat(two.tryLock(false)).isFalse();
      one.closeQuietly();
      assertThat(two.tryLock(true)).isTrue();
    }
  }

  @Test
  void letsManyShareTheLock() throws IOException {
    Path path = Files.createFile(folder.resolve("lock"));
    try (LinuxFile one = LinuxFile.open(path, Flag.WRITE);
        LinuxFile two = LinuxFile.open(path, Flag.WRITE)) {
      assertThat(one.tryLock(false)).isTrue();
      assertThat(two.tryLock(false)).isTrue();
      assertThat(two.tryLock(true)).isFalse();
    }
  }

  @Test
  void freesTheLockOfAKilledProcess() throws Exception {
    Path path = Files.createFile(folder.resolve("lock"));
    Process holder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                LockHolder.class.getName(),
                path.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (LinuxFile file = LinuxFile.open(path, Flag.WRITE);
        BufferedReader said =
            new BufferedReader(
                new InputStreamReader(holder.getInputStream(), StandardCharsets.UTF_8))) {
      assertThat(said.readLine()).isEqualTo("locked");
      assertThat(file.tryLock(true)).isFalse();
      holder.destroyForcibly().waitFor();
      assertThat(file.tryLock(true)).isTrue();
    } finally {
      holder.destroyForcibly();
    }
  }

  @Test
  void closesOnce() throws IOException {
    LinuxFile file = LinuxFile.open(folder, Flag.READ, Flag.DIRECTORY);
    file.close();
    file.close();
    file.closeQuietly();
    assertThatThrownBy(file::size).isInstanceOf(LinuxException.class);
  }

  @Test
  void survivesAnInterrupt() throws IOException {
    Path path = Files.write(folder.resolve("file"), new byte[] {7});
    try (LinuxFile file = LinuxFile.open(path)) {
      Thread.currentThread().interrupt();
      assertThat(file.read(ByteBuffer.allocateDirect(1), 0)).isEqualTo(1);
      assertThat(Thread.interrupted()).isTrue();
      assertThat(file.read(ByteBuffer.allocateDirect(1), 0)).isEqualTo(1);
    }
  }
}
