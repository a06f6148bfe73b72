package dev.mover.repository.file;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.WrappedKey;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.memory.BufferSet;
import dev.mover.api.point.DiskSpec;
import dev.mover.repository.extent.ExtentFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Turns an open session's maps into the metadata and footer of a backup file: pages twice, sync,
 * footer at the tail and in the superblock, sync. The rename that commits is the caller's. Used by
 * one thread; blocks. After a failure the file is only good for being abandoned.
 */
public final class PointWriter {
  /** A disk as its session ended it. */
  public record EndedDisk(DiskSpec spec, BlockId digest, BlockId seal, OpenMap map) {}

  /** Supplies the used ranges of one source file, ascending. */
  @FunctionalInterface
  public interface Ranges {
    /** The range with index {@code index}: offset and length. */
    Range at(long index);
  }

  /** Bytes of a source file that are used. */
  public record Range(long offset, long length) {}

  /** The file table and its ranges; nothing of both where the extent clones. */
  public record FileTable(List<FileRecord> files, long rangeCount, Ranges ranges) {
    public static final FileTable NONE =
        new FileTable(
            List.of(),
            0,
            index -> {
              throw new IllegalArgumentException("there are no ranges");
            });
  }

  private final ExtentFile file;
  private final Superblock superblock;
  private final BufferPool pool;

  public PointWriter(ExtentFile file, Superblock superblock, BufferPool pool) {
    this.file = file;
    this.superblock = superblock;
    this.pool = pool;
  }

  /** Writes the superblock of a new file, with no footer in it. */
  public static void begin(ExtentFile file, Superblock superblock, BufferPool pool)
      throws IOException {
    writePage(file, pool, 0, superblock::write);
  }

  /**
   * Writes everything behind the last slot and makes it durable.
   *
   * @param keys of all slots that the maps name, by number
   * @param tail end of the slots, a multiple of 4 KiB
   * @return the footer as it stands in the file
   */
  public Footer finish(
      long sequence,
      Instant createdAt,
      List<EndedDisk> disks,
      FileTable table,
      List<WrappedKey> keys,
      long tail,
      long newBytes,
      long linkedBytes)
      throws IOException {
    int diskPages = Math.ceilDiv(disks.size(), DiskRecord.PER_PAGE);
    int filePages = Math.ceilDiv(table.files().size(), FileRecord.PER_PAGE);
    long rangePages = Math.ceilDiv(table.rangeCount(), (long) FileRecord.RANGES_PER_PAGE);
    long tablePages =
        diskPages + filePages + rangePages + Math.ceilDiv(keys.size(), KeyTable.PER_PAGE);
    List<DiskRecord> records = place(disks, tablePages);
    long pages = tablePages + records.stream().mapToLong(DiskRecord::mapPages).sum();
    BlockId sha;
    try (MetadataWriter out = new MetadataWriter(file, tail, pages, pool)) {
      writeDisks(out, records);
      writeFiles(out, table);
      writeRanges(out, table);
      writeKeys(out, keys);
      for (int i = 0; i < disks.size(); i++) {
        writeMap(out, i, disks.get(i).map());
      }
      sha = out.finish();
    }
    file.sync();
    long bytes = pages * Page.BYTES;
    Footer footer =
        new Footer(
            superblock.machine(),
            superblock.fileId(),
            superblock.sessionId(),
            sequence,
            Instant.ofEpochMilli(createdAt.toEpochMilli()),
            superblock.blockSize(),
            superblock.slotAlignment(),
            tail,
            tail + bytes,
            bytes,
            sha,
            disks.size(),
            diskPages,
            table.files().size(),
            filePages,
            rangePages,
            tail + 2 * bytes + Page.BYTES,
            newBytes,
            linkedBytes,
            keys.size(),
            superblock.domain());
    writePage(file, pool, tail + 2 * bytes, page -> footer.write(page, 0));
    writePage(
        file,
        pool,
        0,
        page -> {
          superblock.write(page);
          footer.write(page, Superblock.FOOTER_AT);
        });
    file.sync();
    return footer;
  }

  private static List<DiskRecord> place(List<EndedDisk> disks, long firstPage) {
    List<DiskRecord> records = new ArrayList<>();
    long page = firstPage;
    for (EndedDisk disk : disks) {
      long entries = disk.map().entries();
      long mapPages = Math.ceilDiv(entries, (long) MapEntry.PER_PAGE);
      records.add(new DiskRecord(disk.spec(), disk.digest(), disk.seal(), page, mapPages, entries));
      page += mapPages;
    }
    return records;
  }

  private static void writeDisks(MetadataWriter out, List<DiskRecord> disks) throws IOException {
    for (int from = 0; from < disks.size(); from += DiskRecord.PER_PAGE) {
      List<DiskRecord> part =
          disks.subList(from, Math.min(from + DiskRecord.PER_PAGE, disks.size()));
      ByteBuffer page = out.startPage();
      part.forEach(d -> d.write(page));
      out.endPage(part.size(), Page.KIND_DISKS, from);
    }
  }

  private static void writeFiles(MetadataWriter out, FileTable table) throws IOException {
    List<FileRecord> files = table.files();
    for (int from = 0; from < files.size(); from += FileRecord.PER_PAGE) {
      List<FileRecord> part =
          files.subList(from, Math.min(from + FileRecord.PER_PAGE, files.size()));
      ByteBuffer page = out.startPage();
      part.forEach(f -> f.write(page));
      out.endPage(part.size(), Page.KIND_FILES, from);
    }
  }

  private static void writeRanges(MetadataWriter out, FileTable table) throws IOException {
    long index = 0;
    while (index < table.rangeCount()) {
      ByteBuffer page = out.startPage();
      long first = index;
      while (index < table.rangeCount() && index - first < FileRecord.RANGES_PER_PAGE) {
        Range range = table.ranges().at(index++);
        page.putLong(range.offset()).putLong(range.length());
      }
      out.endPage((int) (index - first), Page.KIND_RANGES, first);
    }
  }

  private static void writeKeys(MetadataWriter out, List<WrappedKey> keys) throws IOException {
    for (int from = 0; from < keys.size(); from += KeyTable.PER_PAGE) {
      List<WrappedKey> part = keys.subList(from, Math.min(from + KeyTable.PER_PAGE, keys.size()));
      ByteBuffer page = out.startPage();
      part.forEach(key -> KeyTable.write(key, page));
      out.endPage(part.size(), Page.KIND_KEYS, from);
    }
  }

  private static void writeMap(MetadataWriter out, int disk, OpenMap map) throws IOException {
    long block = 0;
    long entry = 0;
    while (entry < map.entries()) {
      ByteBuffer page = out.startPage();
      long first = block;
      int count = 0;
      while (entry < map.entries() && count < MapEntry.PER_PAGE) {
        MapEntry next = map.get(entry++);
        if (next instanceof MapEntry.Slot slot && slot.isPending()) {
          throw new IllegalStateException("block " + block + " of disk " + disk + " has no slot");
        }
        next.write(page);
        block += next.blocks();
        count++;
      }
      out.endPage(count, disk, first);
    }
    map.park();
  }

  /** Fills one page of a file. */
  @FunctionalInterface
  private interface PageContent {
    void fill(ByteBuffer page);
  }

  private static void writePage(ExtentFile file, BufferPool pool, long offset, PageContent content)
      throws IOException {
    try (BufferSet set = pool.lease(Page.BYTES, 1, () -> {})) {
      BlockBuffer buffer = Objects.requireNonNull(set.tryTake(), "a fresh lease has buffers");
      try {
        buffer.bytes(0, Page.BYTES).put(new byte[Page.BYTES]);
        content.fill(buffer.bytes());
        file.write(buffer.bytes(0, Page.BYTES), offset);
      } finally {
        buffer.release();
      }
    }
  }
}
