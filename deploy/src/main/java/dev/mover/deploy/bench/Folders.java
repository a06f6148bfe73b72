package dev.mover.deploy.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Makes room between rounds. */
final class Folders {
  private Folders() {}

  /** Removes a folder or file and all below it; nothing there is fine. */
  static void remove(Path folder) throws IOException {
    if (Files.exists(folder)) {
      for (Path path : deepestFirst(folder)) {
        Files.delete(path);
      }
    }
  }

  private static List<Path> deepestFirst(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.sorted(Comparator.reverseOrder()).toList();
    }
  }
}
