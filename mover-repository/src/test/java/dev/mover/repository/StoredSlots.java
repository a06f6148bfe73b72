package dev.mover.repository;

import dev.mover.api.error.Side;
import dev.mover.api.memory.BufferPool;
import dev.mover.repository.extent.LinuxExtentFiles;
import dev.mover.repository.file.BackupFile;
import dev.mover.repository.file.MapCursor;
import dev.mover.repository.file.MapEntry.Slot;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Where the blocks of a point's first disk lie. */
final class StoredSlots {
  private StoredSlots() {}

  /** Slots in the point's own file, in order of their blocks. */
  static List<Slot> own(Path point) {
    List<Slot> own = new ArrayList<>();
    try (BufferPool pool = new BufferPool("test", Side.REPOSITORY, 1 << 20);
        BackupFile file = BackupFile.open(new LinuxExtentFiles(true), point, pool);
        MapCursor map = file.map(0)) {
      while (map.next()) {
        if (map.entry() instanceof Slot slot && slot.file() == 0) {
          own.add(slot);
        }
      }
    }
    if (own.isEmpty()) {
      throw new AssertionError(point + " has no slots of its own");
    }
    return own;
  }
}
