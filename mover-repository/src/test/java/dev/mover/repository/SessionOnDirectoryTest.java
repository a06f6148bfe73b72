package dev.mover.repository;

import dev.mover.testkit.LoopMount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** On whatever the temporary folder lies: taken as a file system that may clone or not. */
class SessionOnDirectoryTest extends SessionContract {
  @TempDir static Path temp;

  @Override
  Path folder() {
    return temp;
  }

  @Override
  boolean clones() {
    try {
      String type = Files.getFileStore(temp).type();
      return type.equals(LoopMount.Kind.XFS.name().toLowerCase(java.util.Locale.ROOT))
          || type.equals(LoopMount.Kind.BTRFS.name().toLowerCase(java.util.Locale.ROOT));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
