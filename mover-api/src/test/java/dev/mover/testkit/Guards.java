package dev.mover.testkit;

import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import reactor.core.publisher.Hooks;
import reactor.core.scheduler.Schedulers;

/**
 * On for every test of every module (found by JUnit through {@code META-INF/services}). A test
 * fails when, while it ran, something blocked an event loop, an error was dropped by Reactor, a
 * scheduler or a thread died of an uncaught exception, or Netty reported a leaked buffer.
 *
 * <p>What blocks is BlockHound's own list, positional file I/O, and every class that a {@code
 * META-INF/mover/blocking} resource names. What happens after a test's end is charged to the next
 * one, or to its class.
 */
public final class Guards
    implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {

  /**
   * What went wrong since the test began. The caller has looked at it: the test doesn't fail of it
   * any more.
   */
  public static List<Throwable> forgive() {
    return Mishaps.take();
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    BlockingGuard.install();
    Leaks.listen();
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    // Each time: StepVerifier and others put the hooks back to nothing.
    // Reset first: Reactor adds hooks to those it has.
    Hooks.resetOnErrorDropped();
    Hooks.onErrorDropped(e -> Mishaps.record("Reactor dropped an error", e));
    Schedulers.resetOnHandleError();
    Schedulers.onHandleError((thread, e) -> Mishaps.record("uncaught in " + thread.getName(), e));
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, e) -> Mishaps.record("uncaught in " + thread.getName(), e));
  }

  @Override
  public void afterEach(ExtensionContext context) {
    failOnMishaps();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    Leaks.flush();
    failOnMishaps();
  }

  static void failOnMishaps() {
    List<Throwable> mishaps = Mishaps.take();
    if (!mishaps.isEmpty()) {
      AssertionError failure =
          new AssertionError(mishaps.size() + " mishaps; the first: " + mishaps.getFirst());
      mishaps.forEach(failure::addSuppressed);
      throw failure;
    }
  }
}
