package dev.mover.repository.extent;

import dev.mover.api.linux.LinuxException;
import dev.mover.api.linux.LinuxFile;
import dev.mover.api.linux.LinuxFile.Flag;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.memory.BufferSet;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * Finds out what a file system can do by doing it with real, synced blocks: some claim to clone and
 * then fail on data that is not written back yet, or only at coarse offsets.
 */
final class ExtentProbe {
  private static final List<Integer> GRANULARITIES = List.of(4 << 10, 64 << 10, 128 << 10, 1 << 20);
  private static final int PROBE_BYTES = 2 << 20;
  static final String PREFIX = ".probe-";

  private final Path directory;
  private final BufferPool pool;

  ExtentProbe(Path directory, BufferPool pool) {
    this.directory = directory;
    this.pool = pool;
  }

  /**
   * Blocks for a few milliseconds; leaves nothing behind. A file system without room can't be
   * tried: what fails for lack of it says nothing of what the file system can do.
   *
   * @throws LinuxException with no space, among others
   */
  ExtentMode run() throws IOException {
    Path from = directory.resolve(PREFIX + "a");
    Path to = directory.resolve(PREFIX + "b");
    String type = Files.getFileStore(directory).type();
    boolean direct = opensDirect(from);
    try (BufferSet buffers = pool.lease(PROBE_BYTES, 1, () -> {});
        LinuxFile source = open(from, direct);
        LinuxFile target = open(to, direct)) {
      BlockBuffer buffer = Objects.requireNonNull(buffers.tryTake(), "a fresh lease has buffers");
      try {
        fill(buffer.bytes(), 7);
        source.write(buffer, PROBE_BYTES, 0);
        source.sync();
        int granularity = cloneGranularity(source, target, buffer);
        return new ExtentMode(type, granularity, direct, punches(source, buffer));
      } finally {
        buffer.release();
      }
    } finally {
      Files.deleteIfExists(from);
      Files.deleteIfExists(to);
    }
  }

  /** Whether an existing file can be opened for direct reading. */
  static boolean readsDirect(Path path) {
    try (LinuxFile file = LinuxFile.open(path, Flag.READ, Flag.DIRECT)) {
      return file.size() >= 0;
    } catch (LinuxException e) {
      return false;
    }
  }

  private static boolean opensDirect(Path path) throws LinuxException {
    try {
      open(path, true).close();
      return true;
    } catch (LinuxException e) {
      if (e.errno() == LinuxException.EINVAL) {
        return false;
      }
      throw e;
    }
  }

  private static LinuxFile open(Path path, boolean direct) throws LinuxException {
    return direct
        ? LinuxFile.open(path, Flag.WRITE, Flag.CREATE, Flag.TRUNCATE, Flag.DIRECT)
        : LinuxFile.open(path, Flag.WRITE, Flag.CREATE, Flag.TRUNCATE);
  }

  private static int cloneGranularity(LinuxFile source, LinuxFile target, BlockBuffer buffer)
      throws LinuxException {
    for (int granularity : GRANULARITIES) {
      try {
        // The second piece, to the second piece: offset 0 would pass where only whole files clone.
        target.cloneRange(source, granularity, granularity, granularity);
        target.sync();
      } catch (LinuxException e) {
        orNoRoom(e);
        continue;
      }
      ByteBuffer piece = buffer.bytes(0, granularity);
      if (target.read(piece, granularity) == granularity && isFilled(piece.flip(), granularity)) {
        return granularity;
      }
    }
    return 0;
  }

  private static boolean punches(LinuxFile file, BlockBuffer buffer) throws LinuxException {
    try {
      file.punchHole(0, 64 << 10);
    } catch (LinuxException e) {
      orNoRoom(e);
      return false;
    }
    ByteBuffer page = buffer.bytes(0, 4096);
    file.read(page, 0);
    return page.flip().getLong(0) == 0;
  }

  private static void orNoRoom(LinuxException e) throws LinuxException {
    if (e.isNoSpace()) {
      throw e;
    }
  }

  private static void fill(ByteBuffer bytes, long seed) {
    long value = seed;
    while (bytes.hasRemaining()) {
      value = value * 6364136223846793005L + 1442695040888963407L;
      bytes.putLong(value | 1);
    }
  }

  private static boolean isFilled(ByteBuffer piece, int offset) {
    ByteBuffer expected = ByteBuffer.allocate(PROBE_BYTES);
    fill(expected, 7);
    return expected.slice(offset, piece.remaining()).equals(piece);
  }
}
