package dev.mover.repository.serve;

import dev.mover.api.error.DataException;
import dev.mover.api.error.ErrorCode;
import dev.mover.repository.file.MapCursor;
import dev.mover.repository.file.MapEntry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The map of a disk in block order. Where both copies of a page are damaged it says that blocks are
 * lost, to those who put up with that, and fails with METADATA_DAMAGED for others. One thread;
 * blocks.
 */
final class MapRuns implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MapRuns.class);

  private final MapCursor cursor;
  private final boolean tolerant;
  private @Nullable MapEntry entry;
  private long block;
  private long end;

  /** Takes the cursor, which is at no entry yet. */
  MapRuns(MapCursor cursor, boolean tolerant) {
    this.cursor = cursor;
    this.tolerant = tolerant;
  }

  /** Moves on; false at the end of the disk. */
  boolean next() {
    block = end;
    try {
      boolean more = cursor.next();
      entry = more ? cursor.entry() : null;
      end = cursor.endBlock();
      return more;
    } catch (DataException e) {
      if (!tolerant || e.code() != ErrorCode.METADATA_DAMAGED) {
        throw e;
      }
      LOG.warn("blocks from {} on are lost: {}", block, e.getMessage());
      entry = null;
      end = cursor.skipDamaged();
      return true;
    }
  }

  /** Moves to what covers {@code block}, a block of the disk. */
  void seek(long wanted) {
    if (!tolerant) {
      cursor.seek(wanted);
      entry = cursor.entry();
      block = cursor.block();
      end = cursor.endBlock();
      return;
    }
    boolean more = true;
    while (more && end <= wanted) {
      more = next();
    }
  }

  /** The entry it is at; null: these blocks are lost. */
  @Nullable MapEntry entry() {
    return entry;
  }

  /** Its first block. */
  long block() {
    return block;
  }

  /** The block after it. */
  long endBlock() {
    return end;
  }

  @Override
  public void close() {
    cursor.close();
  }
}
