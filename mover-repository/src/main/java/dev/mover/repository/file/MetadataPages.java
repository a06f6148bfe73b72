package dev.mover.repository.file;

import dev.mover.api.error.DataException;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.Side;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.memory.BufferSet;
import dev.mover.repository.extent.ExtentFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * The metadata pages of a committed file: copy 1 through a window of 16 pages, each checked, and
 * page by page copy 2 where copy 1 is damaged or can't be read. Used by one thread at a time;
 * blocks.
 */
final class MetadataPages implements AutoCloseable {
  private static final int WINDOW_PAGES = 16;

  private final ExtentFile file;
  private final Footer footer;
  private final BufferSet memory;
  private final BlockBuffer buffer;
  private long windowFirst = -1;
  private int windowPages;
  private long recoveredPages;

  MetadataPages(ExtentFile file, Footer footer, BufferPool pool) {
    this.file = file;
    this.footer = footer;
    this.memory = pool.lease((WINDOW_PAGES + 1) * Page.BYTES, 1, () -> {});
    this.buffer = Objects.requireNonNull(memory.tryTake(), "a fresh lease has buffers");
  }

  long count() {
    return footer.metadataBytes() / Page.BYTES;
  }

  /** Pages that had to be taken from copy 2. */
  long recoveredPages() {
    return recoveredPages;
  }

  /**
   * A checked page, valid until the next call.
   *
   * @throws DataException METADATA_DAMAGED when both copies are bad, or there is no such page
   */
  ByteBuffer page(long number) {
    if (number < 0 || number >= count()) {
      throw damaged("has no metadata page " + number);
    }
    long first = number / WINDOW_PAGES * WINDOW_PAGES;
    if (first != windowFirst) {
      load(first);
    }
    int index = (int) (number - first);
    if (index < windowPages) {
      ByteBuffer page = buffer.bytes(index * Page.BYTES, Page.BYTES);
      if (Page.isSound(page)) {
        return page;
      }
    }
    return second(number);
  }

  /** Whether a page of copy 2 is sound: a verification looks at both. */
  boolean isSecondSound(long number) {
    ByteBuffer page = buffer.bytes(WINDOW_PAGES * Page.BYTES, Page.BYTES);
    return readFully(page, footer.metadata2() + number * Page.BYTES) && Page.isSound(page.flip());
  }

  DataException damaged(String what) {
    return new DataException(
        ErrorCode.METADATA_DAMAGED,
        Side.REPOSITORY,
        "%s: %s; restore an earlier point".formatted(file.name(), what));
  }

  private void load(long first) {
    windowFirst = first;
    int wanted = (int) Math.min(WINDOW_PAGES, count() - first);
    ByteBuffer window = buffer.bytes(0, wanted * Page.BYTES);
    windowPages = readFully(window, footer.metadata1() + first * Page.BYTES) ? wanted : 0;
  }

  private ByteBuffer second(long number) {
    if (!isSecondSound(number)) {
      throw damaged("both copies of metadata page " + number + " are damaged");
    }
    recoveredPages++;
    return buffer.bytes(WINDOW_PAGES * Page.BYTES, Page.BYTES);
  }

  /** An I/O error is damage like any other here: the other copy may be well. */
  private boolean readFully(ByteBuffer into, long offset) {
    try {
      file.read(into, offset);
      return !into.hasRemaining();
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void close() {
    buffer.release();
    memory.close();
  }
}
