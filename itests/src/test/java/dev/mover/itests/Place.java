package dev.mover.itests;

import dev.mover.testkit.LoopMount;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Where a test's repository lies: a file system of its own, or a plain directory. */
enum Place {
  XFS(LoopMount.Kind.XFS),
  BTRFS(LoopMount.Kind.BTRFS),
  EXT4(LoopMount.Kind.EXT4),
  DIRECTORY(null);

  private static final long BYTES = 1L << 30;

  private final Optional<LoopMount.Kind> kind;

  Place(LoopMount.@Nullable Kind kind) {
    this.kind = Optional.ofNullable(kind);
  }

  /** Opens it, or skips the test aloud where this machine has none. */
  Room open() {
    return open(BYTES);
  }

  Room open(long bytes) {
    return kind.map(k -> Room.on(LoopMount.orSkip(k, bytes))).orElseGet(Room::plain);
  }

  boolean clones() {
    return kind.map(LoopMount.Kind::clones).orElse(false);
  }

  /** An open place; gone with all that is in it on close. */
  record Room(Path folder, Runnable end) implements AutoCloseable {
    private static Room on(LoopMount mount) {
      return new Room(mount.folder(), mount::close);
    }

    private static Room plain() {
      try {
        Path folder = Files.createTempDirectory("mover-it");
        return new Room(folder, () -> removeAll(folder));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    Path repository() {
      return folder.resolve("repository");
    }

    /** Bytes of the file system in use, everything written out first. */
    long usedBytes() {
      try {
        new ProcessBuilder("sync", "--file-system", folder.toString()).start().onExit().join();
        var store = Files.getFileStore(folder);
        return store.getTotalSpace() - store.getUnallocatedSpace();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() {
      end.run();
    }

    private static void removeAll(Path folder) {
      try (Stream<Path> all = Files.walk(folder)) {
        for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
