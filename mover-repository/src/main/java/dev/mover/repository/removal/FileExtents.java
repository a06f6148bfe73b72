package dev.mover.repository.removal;

import dev.mover.api.linux.DiskExtent;
import dev.mover.repository.extent.ExtentFile;
import dev.mover.repository.extent.ExtentFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** Where files lie on their device, as their file system says. */
final class FileExtents {
  private FileExtents() {}

  /**
   * Every piece of a file that is on disk, by offset.
   *
   * @throws IOException also where the file system can't say
   */
  static void each(ExtentFiles files, Path file, Consumer<DiskExtent> consumer) throws IOException {
    try (ExtentFile open = files.open(file)) {
      List<DiskExtent> some = open.descriptor().extents(0);
      while (!some.isEmpty()) {
        some.forEach(consumer);
        some = open.descriptor().extents(some.getLast().offset() + some.getLast().length());
      }
    }
  }
}
