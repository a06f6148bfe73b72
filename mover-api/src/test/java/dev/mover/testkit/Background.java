package dev.mover.testkit;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Things that a test does at the same time, each on a thread of its own. The common pool, which
 * {@link CompletableFuture} takes otherwise, has one thread on two cores, so there the second thing
 * would wait for the first.
 */
public final class Background {
  private Background() {}

  /** Runs it now; the future ends as it does. */
  public static CompletableFuture<Void> run(Runnable what) {
    return CompletableFuture.runAsync(what, Thread.ofPlatform().daemon().name("background")::start);
  }

  /** Asks for it now; the future has what it returns. */
  public static <T> CompletableFuture<T> supply(Supplier<T> what) {
    return CompletableFuture.supplyAsync(
        what, Thread.ofPlatform().daemon().name("background")::start);
  }
}
