package dev.mover.dedup.codec;

import java.util.Arrays;
import java.util.Optional;

/**
 * How hard a proxy packs. The levels behind the names are zstd's: NONE stores plain, FAST −3,
 * OPTIMAL 1 (the default: about ¾ of a core-second for 200 MB), HIGH 3, EXTREME 9.
 */
public enum Compression {
  NONE(0),
  FAST(-3),
  OPTIMAL(1),
  HIGH(3),
  EXTREME(9);

  private final int level;

  Compression(int level) {
    this.level = level;
  }

  /** zstd's level; 0 means not packed at all. */
  public int level() {
    return level;
  }

  public static Optional<Compression> named(String name) {
    return Arrays.stream(values()).filter(c -> c.name().equalsIgnoreCase(name)).findFirst();
  }
}
