package dev.mover.repository.file;

import dev.mover.api.block.BlockId;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.memory.BufferSet;
import dev.mover.repository.extent.ExtentFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Objects;

/**
 * Streams metadata pages to both of their places at once, through a staging buffer of 64 pages.
 * Used by one thread; blocks. After a failure the file is only good for being abandoned.
 */
final class MetadataWriter implements AutoCloseable {
  private static final int STAGED_PAGES = 64;

  private final ExtentFile file;
  private final long copy1;
  private final long copy2;
  private final BufferSet memory;
  private final BlockBuffer buffer;
  private final MessageDigest sha;
  private int staged;
  private long written;

  MetadataWriter(ExtentFile file, long copy1, long pages, BufferPool pool) {
    this.file = file;
    this.copy1 = copy1;
    this.copy2 = copy1 + pages * Page.BYTES;
    this.memory = pool.lease(STAGED_PAGES * Page.BYTES, 1, () -> {});
    this.buffer = Objects.requireNonNull(memory.tryTake(), "a fresh lease has buffers");
    try {
      this.sha = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  /** The entries' part of a new, zeroed page; fill it, then {@link #endPage}. */
  ByteBuffer startPage() {
    ByteBuffer page = buffer.bytes(staged * Page.BYTES, Page.BYTES);
    page.put(new byte[Page.BYTES]);
    return page.position(Page.HEADER_BYTES);
  }

  void endPage(int count, int kind, long first) throws IOException {
    Page.seal(buffer.bytes(), staged * Page.BYTES, count, kind, first);
    staged++;
    if (staged == STAGED_PAGES) {
      flush();
    }
  }

  /** Writes what is staged and returns the SHA-256 of all pages. */
  BlockId finish() throws IOException {
    flush();
    if (copy1 + written != copy2) {
      throw new IllegalStateException(
          "metadata has " + written + " bytes, planned were " + (copy2 - copy1));
    }
    return BlockId.of(sha.digest());
  }

  private void flush() throws IOException {
    int length = staged * Page.BYTES;
    sha.update(buffer.bytes(0, length));
    file.write(buffer.bytes(0, length), copy1 + written);
    file.write(buffer.bytes(0, length), copy2 + written);
    written += length;
    staged = 0;
  }

  @Override
  public void close() {
    buffer.release();
    memory.close();
  }
}
