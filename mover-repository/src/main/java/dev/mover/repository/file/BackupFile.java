package dev.mover.repository.file;

import dev.mover.api.block.SessionKey;
import dev.mover.api.block.WrappedKey;
import dev.mover.api.error.DataException;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.Side;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.memory.BufferSet;
import dev.mover.api.point.RestorePoint;
import dev.mover.repository.extent.ExtentError;
import dev.mover.repository.extent.ExtentFile;
import dev.mover.repository.extent.ExtentFiles;
import dev.mover.repository.file.PointWriter.Range;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A committed backup file, open for reading: footer and tables in memory, maps through cursors,
 * slots by offset. The open descriptor pins it: it stays readable when the point is deleted.
 * Immutable; slots may be read by many threads, cursors each by one. All methods block.
 */
public final class BackupFile implements AutoCloseable {
  private static final int MAX_DISKS = 256;

  /** Of any file a kernel has: sums of two such don't overflow. */
  private static final long MAX_FILE_BYTES = Long.MAX_VALUE / 4;

  private static final int MAX_ALIGNMENT = 1 << 20;

  private final ExtentFile file;
  private final Path path;
  private final BufferPool pool;
  private final Footer footer;
  private final List<DiskRecord> disks;
  private final List<FileRecord> files;
  private final List<String> findings;

  private BackupFile(
      ExtentFile file,
      Path path,
      BufferPool pool,
      Footer footer,
      List<DiskRecord> disks,
      List<FileRecord> files,
      List<String> findings) {
    this.file = file;
    this.path = path;
    this.pool = pool;
    this.footer = footer;
    this.disks = List.copyOf(disks);
    this.files = List.copyOf(files);
    this.findings = List.copyOf(findings);
  }

  /**
   * Opens and reads footer and tables, putting up with one bad copy of each.
   *
   * @param pool for a window of pages now and one for every cursor
   * @throws DataException METADATA_DAMAGED
   * @throws dev.mover.api.error.RepositoryException REPOSITORY_READ_FAILED
   */
  public static BackupFile open(ExtentFiles extent, Path path, BufferPool pool) {
    ExtentFile file = null;
    try {
      file = extent.open(path);
      List<String> findings = new ArrayList<>();
      Footer footer = findFooter(file, pool, findings);
      try (MetadataPages pages = new MetadataPages(file, footer, pool)) {
        List<DiskRecord> disks = readDisks(pages, footer);
        List<FileRecord> files = readFiles(pages, footer);
        if (pages.recoveredPages() > 0) {
          findings.add(path + ": pages of metadata copy 1 are damaged; copy 2 was used");
        }
        return new BackupFile(file, path, pool, footer, disks, files, findings);
      }
    } catch (IOException e) {
      closeQuietly(file);
      throw ExtentError.reading(path.toString(), e);
    } catch (RuntimeException e) {
      closeQuietly(file);
      throw e;
    }
  }

  public Path path() {
    return path;
  }

  public Footer footer() {
    return footer;
  }

  public List<DiskRecord> disks() {
    return disks;
  }

  /** Earlier files whose slots the maps use; empty where the extent clones. */
  public List<FileRecord> files() {
    return files;
  }

  /** What was damaged and had a second copy, one sentence each. */
  public List<String> findings() {
    return findings;
  }

  public RestorePoint point() {
    return new RestorePoint(
        footer.machine(),
        footer.sequence(),
        footer.fileId(),
        footer.sessionId(),
        footer.createdAt(),
        footer.blockSize(),
        disks.stream().map(d -> new RestorePoint.Disk(d.spec(), d.digest(), d.seal())).toList(),
        footer.fileBytes(),
        footer.newBytes(),
        Instant.EPOCH,
        footer.domain());
  }

  /** A cursor before the first entry of a disk's map; the caller closes it. */
  public MapCursor map(int disk) {
    return new MapCursor(new MetadataPages(file, footer, pool), disks.get(disk), disk, footer);
  }

  /** The range table; the caller closes it. */
  public FileRanges ranges() {
    long count = files.stream().mapToLong(FileRecord::ranges).sum();
    return new FileRanges(pages(), footer, count);
  }

  /**
   * Wrapped keys by number, from {@code first} on; none beyond the last.
   *
   * @param first from 0: key number 1
   * @throws DataException METADATA_DAMAGED
   */
  public List<WrappedKey> keys(int first, int most) {
    List<WrappedKey> keys = new ArrayList<>();
    try (MetadataPages pages = pages()) {
      for (int i = first; i < footer.keys() && keys.size() < most; i++) {
        int index = i;
        keys.add(
            KeyTable.read(
                    record(pages, i, KeyTable.PER_PAGE, KeyTable.BYTES, footer.firstKeyPage()))
                .orElseThrow(() -> pages.damaged("key " + index + " of its table can't be")));
      }
    }
    return keys;
  }

  /** A range of an earlier file that this one uses. */
  @FunctionalInterface
  public interface RangeConsumer {
    void range(long offset, long length);
  }

  /**
   * Tells every range of an earlier file that this one uses, ascending. Whoever frees the rest
   * relies on it, so pages and sums are checked.
   *
   * @param file one of {@link #files}
   * @throws DataException METADATA_DAMAGED
   */
  public void ranges(FileRecord file, RangeConsumer consumer) {
    long bytes = 0;
    long end = 0;
    try (FileRanges ranges = ranges()) {
      for (long i = file.firstRange(); i < file.firstRange() + file.ranges(); i++) {
        Range range = ranges.at(i);
        if (range.offset() < end || range.length() < 1 || range.length() > MAX_FILE_BYTES) {
          throw ranges.damaged("range %d of file %s can't be".formatted(i, file.fileId()));
        }
        end = range.offset() + range.length();
        bytes += range.length();
        consumer.range(range.offset(), range.length());
      }
      if (bytes != file.usedBytes()) {
        throw ranges.damaged("its ranges in file %s are not all it uses".formatted(file.fileId()));
      }
    }
  }

  /** The descriptor, for slots and as a clone source. */
  public ExtentFile file() {
    return file;
  }

  /** The pages of the metadata, for a verification; the caller closes them. */
  MetadataPages pages() {
    return new MetadataPages(file, footer, pool);
  }

  BufferPool pool() {
    return pool;
  }

  @Override
  public void close() {
    file.close();
  }

  /** What the first page says of a file that need not be committed, a partial for example. */
  public static Optional<Superblock> superblock(ExtentFile file, BufferPool pool)
      throws IOException {
    try (BufferSet set = pool.lease(Page.BYTES, 1, () -> {})) {
      BlockBuffer buffer = Objects.requireNonNull(set.tryTake(), "a fresh lease has buffers");
      try {
        ByteBuffer page = buffer.bytes();
        return file.read(page, 0) == Page.BYTES
            ? Superblock.read(buffer.bytes())
            : Optional.empty();
      } finally {
        buffer.release();
      }
    }
  }

  private static Footer findFooter(ExtentFile file, BufferPool pool, List<String> findings)
      throws IOException {
    try (BufferSet set = pool.lease(2 * Page.BYTES, 1, () -> {})) {
      BlockBuffer buffer = Objects.requireNonNull(set.tryTake(), "a fresh lease has buffers");
      try {
        long size = file.size();
        Optional<Footer> tail = footerAt(file, buffer, size - Page.BYTES, 0, size);
        Optional<Footer> copy = footerAt(file, buffer, 0, Superblock.FOOTER_AT, size);
        if (tail.isEmpty() && copy.isPresent()) {
          findings.add(
              file.name() + ": the footer is damaged; its copy in the superblock was used");
        } else if (tail.isPresent() && !tail.equals(copy)) {
          findings.add(file.name() + ": the footer's copy in the superblock is damaged");
        }
        return tail.or(() -> copy)
            .orElseThrow(
                () ->
                    new DataException(
                        ErrorCode.METADATA_DAMAGED,
                        Side.REPOSITORY,
                        "%s: footer and superblock are damaged; restore an earlier point"
                            .formatted(file.name())));
      } finally {
        buffer.release();
      }
    }
  }

  /** The footer in the page at {@code offset}, when it is sound and speaks of this very file. */
  private static Optional<Footer> footerAt(
      ExtentFile file, BlockBuffer buffer, long offset, int at, long size) {
    if (size < 2 * Page.BYTES || offset % Page.BYTES != 0) {
      return Optional.empty();
    }
    try {
      ByteBuffer page = buffer.bytes(0, Page.BYTES);
      return file.read(page, offset) == Page.BYTES
          ? Footer.read(buffer.bytes(), at).filter(f -> isPlausible(f, size))
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty(); // the other copy may be readable
    }
  }

  private static boolean isPlausible(Footer f, long size) {
    long end = f.metadata2() + f.metadataBytes();
    return f.metadata1() >= Page.BYTES
        && f.metadata1() <= size
        && f.metadata1() % Page.BYTES == 0
        && f.metadataBytes() >= 0
        && f.metadataBytes() <= size
        && f.metadataBytes() % Page.BYTES == 0
        && f.metadata2() == f.metadata1() + f.metadataBytes()
        && end + Page.BYTES == f.fileBytes()
        && end <= size
        && f.slotAlignment() >= Page.BYTES
        && f.slotAlignment() <= MAX_ALIGNMENT
        && f.sequence() >= 1
        && f.newBytes() >= 0
        && f.newBytes() <= size
        && f.linkedBytes() >= 0
        && f.disks() >= 1
        && f.disks() <= MAX_DISKS
        && f.diskPages() == Math.ceilDiv(f.disks(), DiskRecord.PER_PAGE)
        && f.files() >= 0
        && f.files() <= MapEntry.MAX_FILES
        && f.filePages() == Math.ceilDiv(f.files(), FileRecord.PER_PAGE)
        && f.rangePages() >= 0
        && f.rangePages() <= f.metadataBytes() / Page.BYTES
        && f.keys() >= 0
        && f.keys() <= KeyTable.MAX_KEYS
        && (f.keys() == 0 || !f.domain().equals(SessionKey.NO_DOMAIN));
  }

  private static List<DiskRecord> readDisks(MetadataPages pages, Footer footer) {
    List<DiskRecord> disks = new ArrayList<>();
    for (int i = 0; i < footer.disks(); i++) {
      int index = i;
      disks.add(
          DiskRecord.read(record(pages, i, DiskRecord.PER_PAGE, DiskRecord.BYTES, 0))
              .filter(disk -> disk.fits(pages.count()))
              .orElseThrow(() -> pages.damaged("disk " + index + " of its table can't be")));
    }
    return disks;
  }

  private static List<FileRecord> readFiles(MetadataPages pages, Footer footer) {
    List<FileRecord> files = new ArrayList<>();
    for (int i = 0; i < footer.files(); i++) {
      FileRecord file =
          FileRecord.read(
              record(pages, i, FileRecord.PER_PAGE, FileRecord.BYTES, footer.diskPages()));
      if (!file.fits(footer.rangePages())) {
        throw pages.damaged("file " + i + " of its table can't be");
      }
      files.add(file);
    }
    return files;
  }

  /** Record {@code index} of the table that begins at page {@code firstPage}. */
  private static ByteBuffer record(
      MetadataPages pages, long index, int perPage, int recordBytes, long firstPage) {
    ByteBuffer page = pages.page(firstPage + index / perPage);
    return page.position(Page.HEADER_BYTES + (int) (index % perPage) * recordBytes);
  }

  private static void closeQuietly(@Nullable ExtentFile file) {
    if (file != null) {
      file.close();
    }
  }
}
