package dev.mover.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Predicate;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingOperationError;

/** Teaches BlockHound what it doesn't see by itself: file channels and our native facades. */
final class BlockingGuard {
  private static final String LISTS = "META-INF/mover/blocking";
  private static final String TIMERS =
      ScheduledThreadPoolExecutor.class.getName() + "$DelayedWorkQueue";
  private static final Set<String> FILE_CALLS = Set.of("pread0", "pwrite0", "force0");

  private BlockingGuard() {}

  /** Once a JVM; BlockHound ignores later calls. */
  static void install() {
    BlockHound.install(
        builder -> {
          mark(builder, "sun.nio.ch.UnixFileDispatcherImpl", m -> FILE_CALLS.contains(m.getName()));
          facades().forEach(line -> markFacade(builder, List.of(line.split(" +"))));
          // A timer that is cancelled, as one that is set (which Reactor allows itself): a lock for
          // as long as a heap of a few entries is put in order.
          builder.allowBlockingCallsInside(TIMERS, "remove");
          // Handing work to a pool, whose thread does what blocks: a lock on its queue, or on its
          // set of threads when it begins one, as Reactor's own pool of timers does.
          builder.allowBlockingCallsInside(ThreadPoolExecutor.class.getName(), "execute");
          builder.allowBlockingCallsInside(ThreadPoolExecutor.class.getName(), "addWorker");
          // Recorded as well as thrown: code that swallows the error still fails its test.
          builder.blockingMethodCallback(
              method -> {
                BlockingOperationError error = new BlockingOperationError(method);
                Mishaps.record("blocked " + Thread.currentThread().getName(), error);
                throw error;
              });
        });
  }

  /** A class name, then the names of its methods; all that are not private when there are none. */
  private static void markFacade(BlockHound.Builder builder, List<String> line) {
    List<String> named = line.subList(1, line.size());
    mark(
        builder,
        line.getFirst(),
        m -> named.isEmpty() ? !Modifier.isPrivate(m.getModifiers()) : named.contains(m.getName()));
  }

  private static void mark(BlockHound.Builder builder, String name, Predicate<Method> which) {
    boolean any = false;
    for (Method method : load(name).getDeclaredMethods()) {
      if (which.test(method)
          && !method.isSynthetic()
          && !Modifier.isAbstract(method.getModifiers())) {
        String signature =
            MethodType.methodType(method.getReturnType(), method.getParameterTypes())
                .toMethodDescriptorString();
        builder.markAsBlocking(name, method.getName(), signature);
        any = true;
      }
    }
    if (!any) {
      throw new AssertionError(name + " has no method to mark as blocking");
    }
  }

  private static Class<?> load(String name) {
    try {
      return Class.forName(name, false, BlockingGuard.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new AssertionError(LISTS + " names a class that is not there", e);
    }
  }

  private static List<String> facades() {
    try {
      return Collections.list(BlockingGuard.class.getClassLoader().getResources(LISTS)).stream()
          .flatMap(BlockingGuard::lines)
          .map(String::strip)
          .filter(line -> !line.isEmpty() && !line.startsWith("#"))
          .distinct()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static java.util.stream.Stream<String> lines(URL list) {
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(list.openStream(), StandardCharsets.UTF_8))) {
      return in.readAllLines().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
