package dev.mover.deploy.host;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ctrl-C, or a TERM: asks what runs to stop, and gives it a while to end in good order before the
 * process does. Close it when it has ended. Thread-safe.
 */
public final class Interruption implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Interruption.class);

  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread hook;

  /**
   * In force until it is closed.
   *
   * @param stop asks for the end; must not block
   * @param most how long the process waits for it
   */
  public Interruption(Runnable stop, Duration most) {
    hook = new Thread(() -> stop(stop, most), "interruption");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  private void stop(Runnable stop, Duration most) {
    stop.run();
    try {
      var _ = ended.await(most.toMillis(), TimeUnit.MILLISECONDS); // late or not, it ends
    } catch (InterruptedException e) {
      LOG.debug("a hook takes no interrupts; the process ends now", e);
    }
  }

  @Override
  public void close() {
    ended.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // the process is ending: the hook runs, and has nothing left to wait for
    }
  }
}
