package dev.mover.repository;

import dev.mover.testkit.LoopMount;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** On a real, freshly made XFS. */
class SessionOnXfsTest extends SessionContract {
  private static @Nullable LoopMount mount;

  @BeforeAll
  static void mount() {
    mount = LoopMount.orSkip(LoopMount.Kind.XFS, 400L << 20);
  }

  @AfterAll
  static void unmount() {
    if (mount != null) {
      mount.close();
    }
  }

  @Override
  Path folder() {
    return Objects.requireNonNull(mount).folder();
  }

  @Override
  boolean clones() {
    return true;
  }
}
