package dev.mover.repository.removal;

import dev.mover.api.error.DataException;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.memory.BufferPool;
import dev.mover.repository.extent.ExtentFiles;
import dev.mover.repository.extent.ExtentLayout.Found;
import dev.mover.repository.file.BackupFile;
import dev.mover.repository.file.BackupFile.RangeConsumer;
import dev.mover.repository.file.FileRecord;
import dev.mover.repository.file.Page;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Which points use slots of deleted files, and which slots, where the extent can't clone: what
 * their file tables say. A point that can't be read may use anything of any file before it. One
 * thread; blocks.
 */
final class SlotUsers {
  /** Deleted files looked at in one pass over the points: bounds the memory. */
  static final int MOST_FILES = 64;

  /** A bit for 4 KiB: 16 MiB of them at most, so larger files take several passes. */
  private static final long WINDOW_BYTES = 512L << 30;

  private final ExtentFiles files;
  private final BufferPool pool;
  private final long windowBytes;
  private final Map<UUID, List<User>> users = new HashMap<>();
  private long unreadable;

  /** A point and the place of the deleted file in its file table. */
  private record User(Path point, int file) {}

  private SlotUsers(ExtentFiles files, BufferPool pool, long windowBytes) {
    this.files = files;
    this.pool = pool;
    this.windowBytes = windowBytes;
  }

  /**
   * Looks through all points.
   *
   * @param points every point of the machine that stays
   * @param deleted at most {@value #MOST_FILES}
   */
  static SlotUsers of(ExtentFiles files, BufferPool pool, List<Found> points, List<Found> deleted) {
    return of(files, pool, points, deleted, WINDOW_BYTES);
  }

  static SlotUsers of(
      ExtentFiles files,
      BufferPool pool,
      List<Found> points,
      List<Found> deleted,
      long windowBytes) {
    SlotUsers users = new SlotUsers(files, pool, windowBytes);
    deleted.forEach(file -> users.users.put(file.fileId(), new ArrayList<>()));
    points.forEach(users::look);
    return users;
  }

  private void look(Found point) {
    try (BackupFile file = BackupFile.open(files, point.path(), pool)) {
      List<FileRecord> table = file.files();
      for (int i = 0; i < table.size(); i++) {
        List<User> known = users.get(table.get(i).fileId());
        if (known != null && table.get(i).ranges() > 0) {
          known.add(new User(point.path(), i));
        }
      }
    } catch (DataException | RepositoryException e) {
      unreadable = Math.max(unreadable, point.sequence());
    }
  }

  /** The number of a point that may use the file and can't be read; 0: there is none. */
  long unreadableUser(Found deleted) {
    return deleted.sequence() < unreadable ? unreadable : 0;
  }

  boolean isUsed(Found deleted) {
    return !users.getOrDefault(deleted.fileId(), List.of()).isEmpty();
  }

  /**
   * Tells every part of a file that no point uses, ascending; its superblock counts as used.
   *
   * @throws DataException METADATA_DAMAGED: what a point uses can't be read
   */
  void unused(Found deleted, long fileBytes, RangeConsumer consumer) {
    BitSet used = new BitSet();
    for (long from = 0; from < fileBytes; from += windowBytes) {
      long end = Math.min(from + windowBytes, Math.ceilDiv(fileBytes, Page.BYTES) * Page.BYTES);
      used.clear();
      used.set(0, from == 0 ? 1 : 0);
      for (User user : users.getOrDefault(deleted.fileId(), List.of())) {
        mark(user, used, from, end);
      }
      tell(used, from, end, consumer);
    }
  }

  private void mark(User user, BitSet used, long from, long end) {
    try (BackupFile point = BackupFile.open(files, user.point(), pool)) {
      point.ranges(
          point.files().get(user.file()),
          (offset, length) -> {
            long first = Math.max(from, offset);
            long last = Math.min(end, offset + length);
            if (first < last) {
              used.set(
                  (int) ((first - from) / Page.BYTES),
                  (int) Math.ceilDiv(last - from, (long) Page.BYTES));
            }
          });
    }
  }

  private static void tell(BitSet used, long from, long end, RangeConsumer consumer) {
    int bits = (int) ((end - from) / Page.BYTES);
    for (int bit = used.nextClearBit(0); bit < bits; ) {
      int next = used.nextSetBit(bit);
      int stop = next < 0 ? bits : Math.min(bits, next);
      consumer.range(from + (long) bit * Page.BYTES, (long) (stop - bit) * Page.BYTES);
      bit = used.nextClearBit(stop);
    }
  }
}
