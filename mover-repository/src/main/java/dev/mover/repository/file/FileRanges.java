package dev.mover.repository.file;

import dev.mover.api.error.DataException;
import dev.mover.repository.file.PointWriter.Range;
import java.nio.ByteBuffer;

/**
 * The range table of a committed file. One thread; blocks. Failures are {@code DataException}
 * METADATA_DAMAGED.
 */
public final class FileRanges implements PointWriter.Ranges, AutoCloseable {
  private final MetadataPages pages;
  private final long firstPage;
  private final long count;

  FileRanges(MetadataPages pages, Footer footer, long count) {
    this.pages = pages;
    this.firstPage = (long) footer.diskPages() + footer.filePages();
    this.count = count;
  }

  public long count() {
    return count;
  }

  @Override
  public Range at(long index) {
    if (index < 0 || index >= count) {
      throw new IllegalArgumentException("range " + index + " of " + count);
    }
    ByteBuffer page = pages.page(firstPage + index / FileRecord.RANGES_PER_PAGE);
    long first = index / FileRecord.RANGES_PER_PAGE * FileRecord.RANGES_PER_PAGE;
    if (Page.kind(page) != Page.KIND_RANGES || Page.first(page) != first) {
      throw damaged("page of range %d of its range table is not that page".formatted(first));
    }
    int at =
        Page.HEADER_BYTES + (int) (index % FileRecord.RANGES_PER_PAGE) * FileRecord.RANGE_BYTES;
    return new Range(page.getLong(at), page.getLong(at + Long.BYTES));
  }

  DataException damaged(String what) {
    return pages.damaged(what);
  }

  @Override
  public void close() {
    pages.close();
  }
}
