package dev.mover.deploy.demo;

import java.io.PrintWriter;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Undoes what the demo did, last thing first: at its end, after a failure, and on Ctrl-C. A step
 * that fails is reported and does not keep the others from running. Thread-safe; each step runs
 * once.
 */
final class Cleanup implements AutoCloseable {
  /** One thing to undo. */
  @FunctionalInterface
  interface Step {
    void run() throws Exception;
  }

  private record Named(String what, Step step) {}

  private final Deque<Named> steps = new ArrayDeque<>();
  private final PrintWriter err;
  private final Thread onInterrupt = new Thread(this::undo, "demo-cleanup");

  Cleanup(PrintWriter err) {
    this.err = err;
    Runtime.getRuntime().addShutdownHook(onInterrupt);
  }

  synchronized void add(String what, Step step) {
    steps.push(new Named(what, step));
  }

  private synchronized void undo() {
    while (!steps.isEmpty()) {
      Named next = steps.pop();
      try {
        next.step.run();
      } catch (Exception e) {
        err.println("mover: demo: could not " + next.what + ": " + e.getMessage());
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
