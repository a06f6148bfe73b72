package dev.mover.repository;

import dev.mover.api.error.Side;
import dev.mover.api.memory.BufferPool;
import dev.mover.repository.extent.LinuxExtentFiles;
import dev.mover.repository.file.BackupFile;
import dev.mover.repository.file.Footer;
import dev.mover.repository.file.MapCursor;
import dev.mover.repository.file.MapEntry.Slot;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** What a point's file says of itself. */
final class StoredSlots {
  private StoredSlots() {}

  /** Slots of its first disk that lie in the point's own file, in order of their blocks. */
  static List<Slot> own(Path point) {
    return look(
        point,
        file -> {
          List<Slot> own = new ArrayList<>();
          try (MapCursor map = file.map(0)) {
            while (map.next()) {
              if (map.entry() instanceof Slot slot && slot.file() == 0) {
                own.add(slot);
              }
            }
          }
          return own;
        });
  }

  static Footer footer(Path point) {
    return look(point, BackupFile::footer);
  }

  private static <T> T look(Path point, Function<BackupFile, T> at) {
    try (BufferPool pool = new BufferPool("test", Side.REPOSITORY, 1 << 20);
        BackupFile file = BackupFile.open(new LinuxExtentFiles(true), point, pool)) {
      return at.apply(file);
    }
  }
}
