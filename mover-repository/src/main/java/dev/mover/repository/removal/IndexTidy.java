package dev.mover.repository.removal;

import dev.mover.api.block.BlockId;
import dev.mover.dedup.index.BlockIndex;
import dev.mover.dedup.index.BlockPlace;
import dev.mover.repository.file.BackupFile;
import dev.mover.repository.file.DiskRecord;
import dev.mover.repository.file.MapCursor;
import dev.mover.repository.file.MapEntry.Slot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes the places in a deleted file out of the index. Where the machine's next point has the same
 * block in the same place of the disk, with a slot of its own, that slot takes its stead, so that
 * other machines go on finding it. Nothing relies on either: a place in a file that is gone is a
 * miss. One thread; blocks.
 */
final class IndexTidy {
  private static final int BATCH = 1024;

  private final BlockIndex index;
  private final UUID gone;
  private final BooleanSupplier cancelled;
  private final Map<BlockId, Optional<BlockPlace>> batch = new HashMap<>();

  IndexTidy(BlockIndex index, UUID gone, BooleanSupplier cancelled) {
    this.index = index;
    this.gone = gone;
    this.cancelled = cancelled;
  }

  /**
   * Walks the map of the deleted file, which is still open.
   *
   * @param heir a point of the same machine that stays
   * @throws dev.mover.api.error.MoverException INDEX_FAILED, REPOSITORY_FULL, METADATA_DAMAGED: the
   *     rest stays as it is
   */
  void run(BackupFile deleted, @Nullable BackupFile heir) {
    for (int disk = 0; disk < deleted.disks().size(); disk++) {
      try (MapCursor map = deleted.map(disk);
          MapCursor heirs = heir == null ? null : mapOfSameDisk(deleted, disk, heir)) {
        while (!cancelled.getAsBoolean() && map.next()) {
          if (map.entry() instanceof Slot slot && slot.file() == 0) {
            add(slot.id(), stead(heir, heirs, map.block(), slot.id()));
          }
        }
      }
    }
    end();
  }

  /** Takes a block out that has its place in the deleted file, now or later. */
  void drop(BlockId id) {
    add(id, Optional.empty());
  }

  /** Takes out what was dropped, and makes all of it durable. */
  void end() {
    flush();
    index.sync();
  }

  private void add(BlockId id, Optional<BlockPlace> stead) {
    batch.put(id, stead);
    if (batch.size() == BATCH) {
      flush();
    }
  }

  private static @Nullable MapCursor mapOfSameDisk(BackupFile deleted, int disk, BackupFile heir) {
    DiskRecord wanted = deleted.disks().get(disk);
    for (int i = 0; i < heir.disks().size(); i++) {
      if (heir.disks().get(i).spec().name().equals(wanted.spec().name())
          && heir.footer().blockSize() == deleted.footer().blockSize()) {
        return heir.map(i);
      }
    }
    return null;
  }

  private static Optional<BlockPlace> stead(
      @Nullable BackupFile heir, @Nullable MapCursor heirs, long block, BlockId id) {
    return heir != null
            && heirs != null
            && heirs.seek(block)
            && heirs.entry() instanceof Slot slot
            && slot.file() == 0
            && slot.id().equals(id)
        ? Optional.of(
            new BlockPlace(heir.footer().fileId(), slot.offset(), slot.storedLength(), slot.key()))
        : Optional.empty();
  }

  private void flush() {
    List<BlockId> ids = List.copyOf(batch.keySet());
    List<@Nullable BlockPlace> places = index.find(ids);
    Map<BlockId, BlockPlace> moved = new HashMap<>();
    List<BlockId> removed = new ArrayList<>();
    for (int i = 0; i < ids.size(); i++) {
      BlockPlace place = places.get(i);
      if (place != null && place.fileId().equals(gone)) {
        BlockId id = ids.get(i);
        batch
            .getOrDefault(id, Optional.empty())
            .ifPresentOrElse(stead -> moved.put(id, stead), () -> removed.add(id));
      }
    }
    index.put(moved);
    index.remove(removed);
    batch.clear();
  }
}
