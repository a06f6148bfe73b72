package dev.mover.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.point.Verdict.Outcome;
import dev.mover.repository.extent.ExtentFile;
import dev.mover.repository.extent.ExtentLayout;
import dev.mover.repository.extent.LinuxExtentFiles;
import dev.mover.testkit.LoopMount;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A file system on which not a byte is left, by what others wrote there. */
class FullExtentTest {
  private static final BlockSize SIZE = BlockSize.KIB_256;

  private final byte[] disk = Content.disk(10 * SIZE.bytes(), 1);

  @ParameterizedTest
  @EnumSource(LoopMount.Kind.class)
  void opensRestoresAndBacksUpAgainWhenThereIsRoom(LoopMount.Kind kind) throws IOException {
    try (LoopMount mount = LoopMount.orSkip(kind, 320L << 20)) {
      Path directory = mount.folder().resolve("repository");
      String mode;
      try (Repository repository = Repository.open(directory, RepositoryOptions.DEFAULT)) {
        backup(repository, "web");
        mode = repository.status().mode();
      }
      List<Path> ballast = Ballast.fill(mount.folder());
      try (Repository repository = Repository.open(directory, RepositoryOptions.DEFAULT)) {
        assertThat(repository.status().mode()).isEqualTo(mode);
        assertThat(repository.status().warnings())
            .first()
            .satisfies(
                w -> assertThat(w).contains("REPOSITORY_FULL", directory.toString(), "no room"));
        assertThat(ScriptedReader.points(repository.links(), "")).hasSize(1);
        assertThat(ScriptedReader.restore(repository.links(), "web", 1, 0)).isEqualTo(disk);
        assertThat(ScriptedReader.verify(repository.links(), "", true))
            .singleElement()
            .satisfies(v -> assertThat(v.outcome()).isEqualTo(Outcome.SOUND));
        assertFull(() -> backup(repository, "db"));
        try (Repository beside = Repository.openReadOnly(directory)) {
          assertThat(ScriptedReader.restore(beside.links(), "web", 1, 0)).isEqualTo(disk);
        }
        for (Path file : ballast) {
          Files.deleteIfExists(file); // there was no room for the last name
        }
        assertThat(backup(repository, "db")).isEqualTo(kind.clones() ? 0 : 10);
        assertThat(repository.status().warnings()).isEmpty();
        assertThat(ScriptedReader.points(repository.links(), "")).hasSize(2);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(LoopMount.Kind.class)
  void goesOnInTheSameRunWhenThereIsRoomAgain(LoopMount.Kind kind) throws IOException {
    try (LoopMount mount = LoopMount.orSkip(kind, 320L << 20);
        Repository repository =
            Repository.open(mount.folder().resolve("repository"), RepositoryOptions.DEFAULT)) {
      backup(repository, "web");
      List<Path> ballast = Ballast.fill(mount.folder());
      for (int attempt = 0; attempt < 3; attempt++) {
        assertFull(() -> backup(repository, "db"));
        assertThat(ScriptedReader.restore(repository.links(), "web", 1, 0)).isEqualTo(disk);
        assertThat(ScriptedReader.points(repository.links(), "")).hasSize(1);
      }
      for (Path file : ballast) {
        Files.deleteIfExists(file);
      }
      backup(repository, "db");
      assertThat(ScriptedReader.restore(repository.links(), "db", 1, 0)).isEqualTo(disk);
      assertThat(ScriptedReader.points(repository.links(), "")).hasSize(2);
    }
  }

  @ParameterizedTest
  @EnumSource(LoopMount.Kind.class)
  void remembersDamageThatWasFoundOnAFullDisk(LoopMount.Kind kind) throws IOException {
    try (LoopMount mount = LoopMount.orSkip(kind, 320L << 20)) {
      Path directory = mount.folder().resolve("repository");
      try (Repository repository = Repository.open(directory, RepositoryOptions.DEFAULT)) {
        backup(repository, "web");
        Path point = ExtentLayout.files(directory.resolve("machines/web")).getFirst().path();
        List<Path> ballast = Ballast.fill(mount.folder());
        mount.rot(point, StoredSlots.own(point).getFirst().offset(), 300);
        assertThat(ScriptedReader.verify(repository.links(), "", true))
            .singleElement()
            .satisfies(v -> assertThat(v.outcome()).isEqualTo(Outcome.DAMAGED));
        assertThat(repository.damagedBlocks()).isOne();
        for (Path file : ballast) {
          Files.deleteIfExists(file);
        }
      }
      try (Repository repository = Repository.open(directory, RepositoryOptions.DEFAULT)) {
        assertThat(repository.damagedBlocks()).isOne();
        assertThat(backup(repository, "web")).isOne();
        assertThat(ScriptedReader.restore(repository.links(), "web", 2, 0)).isEqualTo(disk);
      }
    }
  }

  /** The index alone is full, on a file system of its own: that costs no point and no backup. */
  @Test
  void anIndexThatFillsUpInMidSessionIsCaughtUpWithWhenItHasRoom() throws IOException {
    try (LoopMount mount = LoopMount.orSkip(LoopMount.Kind.XFS, 320L << 20);
        LoopMount ofIndex = LoopMount.orSkip(LoopMount.Kind.XFS, 320L << 20)) {
      Path directory = Files.createDirectory(mount.folder().resolve("repository"));
      Repository.open(directory, RepositoryOptions.DEFAULT).close();
      ExtentLayout.removeTree(directory.resolve("index"));
      Files.createSymbolicLink(directory.resolve("index"), ofIndex.folder());
      try (Repository repository = Repository.open(directory, RepositoryOptions.DEFAULT)) {
        backup(repository, "web");
        List<Path> ballast;
        byte[] next = Content.disk(10 * SIZE.bytes(), 2);
        try (ScriptedProxy proxy = new ScriptedProxy(repository.links(), SIZE)) {
          proxy.open("web", Map.of("system", next));
          proxy.begin(0);
          giveBackWhatLogsReserved(ofIndex.folder());
          ballast = Ballast.fill(ofIndex.folder());
          fillIndex(repository);
          proxy.stream(0);
          assertThat(proxy.commit().sequence()).isEqualTo(2);
        }
        assertThat(ScriptedReader.restore(repository.links(), "web", 2, 0)).isEqualTo(next);
        assertThat(ScriptedReader.points(repository.links(), "web")).hasSize(1);
        long listed = repository.status().points();
        for (Path file : ballast) {
          Files.deleteIfExists(file);
        }
        ScriptedProxy.poll("room", () -> isBackedUp(repository, "other"));
        ScriptedProxy.poll(
            "catching up", () -> ScriptedReader.points(repository.links(), "web").size() == 2);
        assertThat(repository.status().points()).isEqualTo(listed + 2);
        ScriptedProxy.poll("index", () -> backup(repository, "db", next) == 0);
        assertThat(ScriptedReader.verify(repository.links(), "", true))
            .allSatisfy(v -> assertThat(v.outcome()).isEqualTo(Outcome.SOUND));
      }
    }
  }

  private boolean isBackedUp(Repository repository, String machine) {
    try {
      backup(repository, machine);
      return true;
    } catch (MoverException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.REPOSITORY_FULL);
      return false;
    }
  }

  /** Which only XFS lets one do. */
  private static void giveBackWhatLogsReserved(Path folder) throws IOException {
    List<Path> logs;
    try (Stream<Path> files = Files.list(folder)) {
      logs = files.filter(file -> file.toString().endsWith(".log")).toList();
    }
    for (Path log : logs) {
      try (ExtentFile file = new LinuxExtentFiles(false).openToPunch(log)) {
        file.punch(Files.size(log) / 4096 * 4096 + 4096, 64 << 20);
      }
    }
  }

  /** The last page of a log has room for a few more. */
  private void fillIndex(Repository repository) {
    assertFull(
            () -> {
              for (int i = 0; i < 100; i++) {
                backup(repository, "filler-" + i);
              }
            })
        .hasMessageContaining("index");
  }

  /**
   * What its last points took is expected of a machine's next one, and refused before it begins.
   */
  @ParameterizedTest
  @EnumSource(LoopMount.Kind.class)
  void refusesWhatWillNotFitBeforeItBegins(LoopMount.Kind kind) throws IOException {
    try (LoopMount mount = LoopMount.orSkip(kind, 320L << 20)) {
      Path directory = mount.folder().resolve("repository");
      try (Repository repository = Repository.open(directory, RepositoryOptions.DEFAULT)) {
        backup(repository, "web", Content.disk(160 * SIZE.bytes(), 1));
        backup(repository, "web", Content.disk(160 * SIZE.bytes(), 2));
        long took = ScriptedReader.points(repository.links(), "web").getLast().newBytes();
        Path ballast = fillBut(mount.folder(), took);
        byte[] third = Content.disk(160 * SIZE.bytes(), 3);
        assertFull(() -> backup(repository, "web", third))
            .hasMessageContaining("bytes are missing");
        assertThat(ExtentLayout.files(directory.resolve("machines/web"))).hasSize(2);
        assertThat(backup(repository, "db", Content.disk(10 * SIZE.bytes(), 4))).isEqualTo(10);
        Files.delete(ballast);
        assertThat(backup(repository, "web", third)).isEqualTo(160);
      }
    }
  }

  private static AbstractThrowableAssert<?, ?> assertFull(ThrowingCallable call) {
    return assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.REPOSITORY_FULL));
  }

  private int backup(Repository repository, String machine) {
    return backup(repository, machine, disk);
  }

  private static int backup(Repository repository, String machine, byte[] disk) {
    try (ScriptedProxy proxy = new ScriptedProxy(repository.links(), SIZE)) {
      proxy.run(machine, Map.of("system", disk));
      return proxy.sentBlocks;
    }
  }

  private static Path fillBut(Path folder, long leftBytes) throws IOException {
    long usable = Files.getFileStore(folder).getUsableSpace();
    Path file = folder.resolve("ballast");
    try (FileChannel out =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      ByteBuffer piece = ByteBuffer.allocate(1 << 20);
      for (long left = usable - leftBytes; left > 0; left -= piece.capacity()) {
        out.write(piece.clear());
      }
      out.force(true);
    }
    return file;
  }
}
