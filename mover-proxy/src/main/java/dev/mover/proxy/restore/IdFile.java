package dev.mover.proxy.restore;

import dev.mover.api.block.BlockId;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.TargetException;
import dev.mover.api.linux.LinuxException;
import dev.mover.api.linux.LinuxFile;
import dev.mover.api.linux.LinuxFile.Flag;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * The ids a restore expects, on disk: block {@code i}'s 32 bytes at {@code 32 × i} of a sparse
 * scratch file, all zero where the disk has zeros. So memory does not grow with the disk, and a
 * block that has come is struck out by writing zeros over its id.
 *
 * <p>Written in block order by one thread, then read from any. Calls block on the page cache.
 */
final class IdFile implements AutoCloseable {
  private static final int PAGE_BYTES = 64 << 10;

  private final LinuxFile file;
  private final ByteBuffer page = ByteBuffer.allocateDirect(PAGE_BYTES);
  private final ByteBuffer one = ByteBuffer.allocateDirect(BlockId.BYTES);
  private long pageOffset;

  private IdFile(LinuxFile file) {
    this.file = file;
  }

  /** A scratch file in the system's temporary folder; its name is gone at once. */
  static IdFile create() {
    try {
      Path path = Files.createTempFile("mover-restore-", ".ids");
      try {
        return new IdFile(LinuxFile.open(path, Flag.WRITE));
      } finally {
        Files.delete(path);
      }
    } catch (IOException e) {
      throw scratchFailed(e);
    }
  }

  /** Appends the id of {@code block}; blocks come in rising order. */
  void expect(long block, BlockId id) {
    long offset = block * BlockId.BYTES;
    if (offset != pageOffset + page.position() || !page.hasRemaining()) {
      flush();
      pageOffset = offset;
    }
    id.write(page);
  }

  /** Writes what is buffered; call once before the first {@link #strike}. */
  void flush() {
    try {
      page.flip();
      file.write(page, pageOffset);
      pageOffset += page.limit();
      page.clear();
    } catch (LinuxException e) {
      throw scratchFailed(e);
    }
  }

  /** The id still expected for {@code block}, and strikes it out; empty when none is. */
  synchronized Optional<BlockId> strike(long block) {
    try {
      one.clear();
      int got = file.read(one, block * BlockId.BYTES);
      one.flip();
      if (got < BlockId.BYTES) {
        return Optional.empty();
      }
      BlockId id = BlockId.read(one);
      if (id.equals(NONE)) {
        return Optional.empty();
      }
      one.clear();
      NONE.write(one);
      one.flip();
      file.write(one, block * BlockId.BYTES);
      return Optional.of(id);
    } catch (LinuxException e) {
      throw scratchFailed(e);
    }
  }

  /** Expects a struck block again: what came was not it. */
  synchronized void restore(long block, BlockId id) {
    try {
      one.clear();
      id.write(one);
      one.flip();
      file.write(one, block * BlockId.BYTES);
    } catch (LinuxException e) {
      throw scratchFailed(e);
    }
  }

  /** Gives every block that is still expected, in rising order, up to {@code blocks}. */
  synchronized void eachLeft(long blocks, LongConsumer consumer) {
    try {
      long end = blocks * BlockId.BYTES;
      long offset = nextData(0);
      while (offset >= 0 && offset < end) {
        page.clear();
        int got = file.read(page, offset);
        if (got < BlockId.BYTES) {
          return;
        }
        page.flip();
        for (long block = offset / BlockId.BYTES; page.remaining() >= BlockId.BYTES; block++) {
          if (!BlockId.read(page).equals(NONE)) {
            consumer.accept(block);
          }
        }
        offset = nextData(offset + (long) got / BlockId.BYTES * BlockId.BYTES);
      }
    } catch (LinuxException e) {
      throw scratchFailed(e);
    }
  }

  /** Holes, which a disk of any size may have, are not read. */
  private long nextData(long offset) throws LinuxException {
    long next = file.nextData(offset);
    return next < 0 ? next : next / BlockId.BYTES * BlockId.BYTES;
  }

  private static final BlockId NONE = new BlockId(0, 0, 0, 0);

  private static TargetException scratchFailed(IOException e) {
    return new TargetException(
        ErrorCode.TARGET_WRITE_FAILED,
        "the scratch file of this restore in "
            + System.getProperty("java.io.tmpdir")
            + " failed: "
            + e.getMessage()
            + "; free space there, or start with another java.io.tmpdir",
        e);
  }

  @Override
  public void close() {
    file.closeQuietly();
  }
}
