package dev.mover.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * What went wrong behind the back of the test that runs. One for the whole JVM, because BlockHound
 * and Reactor's hooks are. Lock-free: it is called on event loops.
 */
final class Mishaps {
  private static final Queue<Throwable> SINCE_TEST_BEGAN = new ConcurrentLinkedQueue<>();

  private Mishaps() {}

  static void record(String what, Throwable cause) {
    SINCE_TEST_BEGAN.add(new AssertionError(what + ": " + cause, cause));
  }

  static List<Throwable> take() {
    List<Throwable> taken = new ArrayList<>();
    for (Throwable t = SINCE_TEST_BEGAN.poll(); t != null; t = SINCE_TEST_BEGAN.poll()) {
      taken.add(t);
    }
    return taken;
  }
}
