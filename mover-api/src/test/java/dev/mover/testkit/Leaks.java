package dev.mover.testkit;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.lang.reflect.Method;
import org.slf4j.LoggerFactory;

/**
 * Hears what Netty's leak detector (paranoid in tests) says in the log. Netty itself is touched by
 * reflection only: half of the modules don't have it.
 */
final class Leaks {
  static final String DETECTOR = "io.netty.util.ResourceLeakDetector";

  private Leaks() {}

  static void listen() {
    Logger logger = ((LoggerContext) LoggerFactory.getILoggerFactory()).getLogger(DETECTOR);
    if (logger.getAppender("leaks") == null) {
      AppenderBase<ILoggingEvent> ear =
          new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
              Mishaps.record(
                  "Netty leak", new AssertionError(String.valueOf(event.getFormattedMessage())));
            }
          };
      ear.setName("leaks");
      ear.setContext(logger.getLoggerContext());
      ear.start();
      logger.addAppender(ear);
    }
  }

  /** Netty reports a leak when it next tracks a buffer after the collector found the lost one. */
  static void flush() {
    if (!hasNetty()) {
      return;
    }
    System.gc();
    try {
      Class<?> allocator = Class.forName("io.netty.buffer.UnpooledByteBufAllocator");
      Method allocate =
          Class.forName("io.netty.buffer.ByteBufAllocator").getMethod("directBuffer", int.class);
      Object buffer = allocate.invoke(allocator.getField("DEFAULT").get(null), 1);
      Class.forName("io.netty.util.ReferenceCounted").getMethod("release").invoke(buffer);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("Netty is there but not as it was: mend the leak guard", e);
    }
  }

  private static boolean hasNetty() {
    return Leaks.class.getResource("/io/netty/buffer/UnpooledByteBufAllocator.class") != null;
  }
}
