package dev.mover.deploy.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The threads of a bare loop: all do the same until nothing is left. */
final class LoopThreads {
  private LoopThreads() {}

  /** What one thread does from its beginning to the end. */
  @FunctionalInterface
  interface Work {
    void run() throws IOException;
  }

  /** Runs {@code work} on so many threads and waits for all; the first failure is thrown. */
  static void run(int threads, Work work) throws IOException {
    List<Future<?>> running = new ArrayList<>();
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      for (int i = 0; i < threads; i++) {
        running.add(
            pool.submit(
                () -> {
                  work.run();
                  return null;
                }));
      }
    } // waits for their end
    for (Future<?> one : running) {
      try {
        one.get();
      } catch (ExecutionException e) {
        throw new IOException("a loop failed: " + e.getCause(), e.getCause());
      } catch (InterruptedException e) {
        throw new AssertionError("nobody interrupts a benchmark", e);
      }
    }
  }
}
