package dev.mover.deploy.host;

import java.io.PrintWriter;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Undoes what a command did, last thing first: at its end, after a failure, and on Ctrl-C. A step
 * that fails is reported and does not keep the others from running. Thread-safe; each step runs
 * once.
 */
public final class Cleanup implements AutoCloseable {
  /** One thing to undo. */
  @FunctionalInterface
  public interface Step {
    void run() throws Exception;
  }

  private record Named(String what, Step step) {}

  private final Deque<Named> steps = new ArrayDeque<>();
  private final PrintWriter err;
  private final String command;
  private final Thread onInterrupt = new Thread(this::undo, "cleanup");

  /**
   * Undoes on Ctrl-C as well.
   *
   * @param command named in reports
   */
  public Cleanup(PrintWriter err, String command) {
    this.err = err;
    this.command = command;
    Runtime.getRuntime().addShutdownHook(onInterrupt);
  }

  public synchronized void add(String what, Step step) {
    steps.push(new Named(what, step));
  }

  private synchronized void undo() {
    while (!steps.isEmpty()) {
      Named next = steps.pop();
      try {
        next.step.run();
      } catch (Exception e) {
        err.printf("mover: %s: could not %s: %s%n", command, next.what, e.getMessage());
      }
    }
  }

  @Override
  public void close() {
    undo();
    try {
      Runtime.getRuntime().removeShutdownHook(onInterrupt);
    } catch (IllegalStateException e) {
      // the process is ending: the hook runs, and finds nothing left to do
    }
  }
}
