package dev.mover.testkit;

import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.opentest4j.TestAbortedException;

/**
 * Seeded properties: the same claim for many random cases. Every run draws new seeds; a failure
 * names its seed, and {@code -Dmover.seed=N} runs that one case alone.
 */
public final class Seeds {
  private static final String REPLAY = "mover.seed";

  private Seeds() {}

  /** A claim about one random case; all randomness must come from {@code random}. */
  @FunctionalInterface
  public interface Property {
    void holds(RandomGenerator random) throws Exception;
  }

  /** Checks {@code property} for {@code cases} seeds. */
  public static void check(int cases, Property property) {
    Long replay = Long.getLong(REPLAY);
    if (replay != null) {
      run(replay, property);
      return;
    }
    long first = new SplittableRandom().nextLong();
    for (int i = 0; i < cases; i++) {
      run(first + i, property);
    }
  }

  private static void run(long seed, Property property) {
    try {
      property.holds(new SplittableRandom(seed));
    } catch (TestAbortedException e) {
      throw e; // skipped, not broken
    } catch (Exception | AssertionError e) {
      throw new AssertionError("fails with -D" + REPLAY + "=" + seed + ": " + e, e);
    }
  }
}
