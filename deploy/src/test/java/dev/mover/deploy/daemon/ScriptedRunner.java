package dev.mover.deploy.daemon;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LimitException;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import dev.mover.api.status.LoadLine;
import dev.mover.api.status.Stage;
import dev.mover.api.status.StageFigures;
import dev.mover.api.status.Status;
import dev.mover.proxy.BackupResult;
import dev.mover.proxy.Cancellation;
import dev.mover.proxy.Progress;
import dev.mover.proxy.pipeline.TaskFigures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs jobs as the test says: each stands still until it is told its end, or cancelled. */
final class ScriptedRunner implements JobRunner {
  private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(20);

  /** How a run ends: a result, or an exception. */
  private record End(@Nullable BackupResult result, @Nullable RuntimeException error) {}

  private final Map<String, Progress.Listener> running = new HashMap<>();
  private final Map<String, End> ends = new HashMap<>();
  private final List<String> started = new ArrayList<>();
  private int most;

  @Override
  public BackupResult run(
      JobRequest request, Progress.Listener listener, Cancellation cancellation) {
    String machine = request.machine().value();
    cancellation.onCancel(() -> end(machine, new End(null, cancelled())));
    synchronized (this) {
      started.add(machine);
      if (running.put(machine, listener) != null) {
        throw new AssertionError("two runs of machine " + machine);
      }
      most = Math.max(most, running.size());
      notifyAll();
      await(() -> ends.containsKey(machine));
      running.remove(machine);
      End end = java.util.Objects.requireNonNull(ends.remove(machine));
      if (end.error() != null) {
        throw end.error();
      }
      return java.util.Objects.requireNonNull(end.result());
    }
  }

  private static LimitException cancelled() {
    return new LimitException(ErrorCode.CANCELLED, Side.PROXY, "the backup was cancelled");
  }

  private synchronized void end(String machine, End end) {
    ends.putIfAbsent(machine, end);
    notifyAll();
  }

  void succeed(String machine) {
    end(machine, new End(result(machine, Status.SUCCESS), null));
  }

  void warn(String machine) {
    end(machine, new End(result(machine, Status.WARNING), null));
  }

  void fail(String machine, ErrorCode code) {
    end(machine, new End(null, MoverException.of(code, Side.REPOSITORY, "as the test said")));
  }

  void crash(String machine) {
    end(machine, new End(null, new IllegalStateException("as the test said")));
  }

  synchronized void awaitRunning(String machine) {
    await(() -> running.containsKey(machine));
  }

  synchronized void progress(String machine, double percent) {
    java.util.Objects.requireNonNull(running.get(machine))
        .on(
            new Progress(
                "transfer", percent, (long) percent, 100, 7, 2, "waiting for nothing", load()));
  }

  synchronized List<String> started() {
    return List.copyOf(started);
  }

  synchronized int most() {
    return most;
  }

  private void await(java.util.function.BooleanSupplier condition) {
    long deadline = System.nanoTime() + PATIENCE_NS;
    while (!condition.getAsBoolean()) {
      long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (leftMs <= 0) {
        throw new AssertionError("it did not happen");
      }
      try {
        wait(leftMs);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  static BackupResult result(String machine, Status status) {
    Map<Stage, StageFigures> stages = new HashMap<>();
    for (Stage stage : Stage.values()) {
      stages.put(
          stage, new StageFigures(stage == Stage.PROXY ? 2_000_000_000L : 1_000_000_000L, 2, 3, 4));
    }
    return new BackupResult(
        status,
        status == Status.WARNING ? List.of("the source \"grew\"\n") : List.of(),
        machine,
        7,
        new UUID(1, 2),
        "cloning on xfs, 4 KiB aligned, direct I/O",
        1 << 20,
        1 << 19,
        1 << 18,
        1 << 17,
        1 << 16,
        1 << 17,
        1 << 15,
        1 << 14,
        2,
        stages,
        List.of(new TaskFigures("sda", stages)),
        load(),
        Duration.ofMillis(5),
        Duration.ofMillis(50),
        Duration.ofMillis(60));
  }

  private static LoadLine load() {
    return new LoadLine(
        Map.of(Stage.SOURCE, 12, Stage.PROXY, 97, Stage.NETWORK, 3, Stage.TARGET, 20),
        1e8,
        Map.of(Stage.SOURCE, .12, Stage.PROXY, .97, Stage.NETWORK, .03, Stage.TARGET, .2));
  }
}
