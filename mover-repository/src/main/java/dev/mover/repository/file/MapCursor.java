package dev.mover.repository.file;

import dev.mover.api.block.SessionKey;
import dev.mover.api.error.DataException;
import dev.mover.repository.file.MapEntry.Slot;
import dev.mover.repository.file.MapEntry.Zeros;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Walks the map of one disk of a committed file. Everything read is checked: pages by checksum,
 * kind and place, entries by bounds, and that together they cover the disk exactly. Used by one
 * thread at a time; blocks. Failures are {@code DataException} METADATA_DAMAGED.
 */
public final class MapCursor implements AutoCloseable {
  private final MetadataPages pages;
  private final DiskRecord disk;
  private final int kind;
  private final long blocks;
  private final int alignment;
  private final int files;
  private final long fileBytes;
  private final int keys;
  private final boolean encrypted;

  private long page = -1;
  private int left;
  private @Nullable ByteBuffer bytes;
  private long nextBlock;
  private @Nullable MapEntry entry;
  private long entryBlock;

  MapCursor(MetadataPages pages, DiskRecord disk, int index, Footer footer) {
    this.pages = pages;
    this.disk = disk;
    this.kind = index;
    this.blocks = footer.blockSize().count(disk.spec().sizeBytes());
    this.alignment = footer.slotAlignment();
    this.files = footer.files();
    this.fileBytes = footer.fileBytes();
    this.keys = footer.keys();
    this.encrypted = !footer.domain().equals(SessionKey.NO_DOMAIN);
  }

  /** Moves to the next entry; false at the end of the disk. */
  public boolean next() {
    if (nextBlock == blocks) {
      entry = null;
      return false;
    }
    while (left == 0) {
      openPage(page + 1);
    }
    ByteBuffer in = bytes;
    if (in == null) {
      throw new IllegalStateException("a page is open when entries are left");
    }
    if (!MapEntry.isKnown(in)) {
      throw impossible();
    }
    MapEntry read = MapEntry.read(in);
    left--;
    check(read);
    entry = read;
    entryBlock = nextBlock;
    nextBlock += read.blocks();
    return true;
  }

  /** The entry the cursor is at. */
  public MapEntry entry() {
    MapEntry at = entry;
    if (at == null) {
      throw new IllegalStateException("the cursor is at no entry");
    }
    return at;
  }

  /** First block of {@link #entry}. */
  public long block() {
    return entryBlock;
  }

  /** First block after {@link #entry}. */
  public long endBlock() {
    return nextBlock;
  }

  /** Moves to the entry that covers {@code block}; false when the disk has no such block. */
  public boolean seek(long block) {
    if (block < 0 || block >= blocks) {
      return false;
    }
    if (entry != null && entryBlock <= block && block < nextBlock) {
      return true;
    }
    if (block < nextBlock || block - nextBlock > MapEntry.PER_PAGE) {
      openPageOf(block);
    }
    while (next()) {
      if (block < nextBlock) {
        return true;
      }
    }
    throw pages.damaged("the map of disk " + disk.spec().name() + " ends early");
  }

  /** Pages read from the second copy. */
  public long recoveredPages() {
    return pages.recoveredPages();
  }

  /** The last page whose first block is not after {@code block}. */
  private void openPageOf(long block) {
    long low = 0;
    long high = disk.mapPages() - 1;
    while (low < high) {
      long middle = (low + high + 1) >>> 1;
      if (Page.first(pages.page(disk.firstMapPage() + middle)) <= block) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    nextBlock = low == 0 ? 0 : Page.first(pages.page(disk.firstMapPage() + low));
    openPage(low);
  }

  /**
   * After METADATA_DAMAGED: goes on with the next page that can be read.
   *
   * @return the block that {@link #next} comes to then; how many the disk has when there is none
   */
  public long skipDamaged() {
    entry = null;
    for (long number = page + 1; number < disk.mapPages(); number++) {
      if (isNextKnownIn(number)) {
        return nextBlock;
      }
    }
    left = 0;
    nextBlock = blocks;
    return blocks;
  }

  private boolean isNextKnownIn(long number) {
    try {
      long first = Page.first(pages.page(disk.firstMapPage() + number));
      if (first <= nextBlock || first >= blocks) {
        return false;
      }
      long lost = nextBlock;
      nextBlock = first;
      try {
        openPage(number);
        return true;
      } catch (DataException e) {
        nextBlock = lost;
        return false;
      }
    } catch (DataException e) {
      return false;
    }
  }

  private void openPage(long number) {
    page = number;
    left = 0;
    if (number >= disk.mapPages()) {
      throw pages.damaged("the map of disk " + disk.spec().name() + " ends early");
    }
    ByteBuffer found = pages.page(disk.firstMapPage() + number);
    int count = Page.count(found);
    if (Page.kind(found) != kind
        || Page.first(found) != nextBlock
        || count < 1
        || count > MapEntry.PER_PAGE) {
      throw pages.damaged(
          "page %d of the map of disk %s is not that page".formatted(number, disk.spec().name()));
    }
    left = count;
    bytes = found.position(Page.HEADER_BYTES);
  }

  private void check(MapEntry read) {
    boolean sound =
        switch (read) {
          case Zeros zeros -> zeros.blocks() >= 1 && zeros.blocks() <= blocks - nextBlock;
          case Slot slot ->
              slot.file() <= files
                  && (encrypted ? slot.key() >= 1 : slot.key() == 0)
                  && slot.key() <= keys
                  && slot.storedLength() > SlotHeader.BYTES
                  && slot.storedLength() <= SlotHeader.MAX_STORED
                  && slot.offset() >= Page.BYTES
                  && slot.offset() % alignment == 0
                  && (slot.file() != 0 || slot.offset() <= fileBytes - slot.storedLength());
        };
    if (!sound) {
      throw impossible();
    }
  }

  private DataException impossible() {
    return pages.damaged(
        "the map of disk %s has an impossible entry at block %d"
            .formatted(disk.spec().name(), nextBlock));
  }

  @Override
  public void close() {
    pages.close();
  }
}
