package dev.mover.deploy.daemon;

import dev.mover.api.status.Stage;
import dev.mover.api.status.StageFigures;
import dev.mover.proxy.BackupResult;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What a Prometheus server may read of a proxy: counters of what ended jobs did, gauges of what is
 * now. Names are a promise: they are only ever added to.
 */
final class ProxyMetrics {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Map<JobState, Counter> ends = new EnumMap<>(JobState.class);
  private final Map<Stage, Counter> busy = new EnumMap<>(Stage.class);
  private final List<Amount> amounts;

  ProxyMetrics() {
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    for (JobState state : JobState.values()) {
      if (state.isEnded()) {
        ends.put(
            state,
            Counter.builder("mover.proxy.jobs.ended")
                .description("Jobs that ended, by how")
                .tag("state", state.label())
                .register(registry));
      }
    }
    for (Stage stage : Stage.values()) {
      busy.put(
          stage,
          Counter.builder("mover.proxy.stage.busy")
              .description("Time the stages were busy in ended jobs")
              .baseUnit("seconds")
              .tag("stage", stage.label())
              .register(registry));
    }
    amounts =
        List.of(
            amount("size", "Bytes of the disks", BackupResult::sizeBytes),
            amount("read", "Bytes read from sources", BackupResult::readBytes),
            amount("zero", "Bytes of the disks that were zero", BackupResult::zeroBytes),
            amount("known", "Bytes the repositories had already", BackupResult::knownBytes),
            amount("sent", "Payload bytes sent", BackupResult::sentBytes),
            amount("stored", "New bytes in the repositories", BackupResult::storedBytes));
  }

  /** Bytes that ended jobs add up. */
  private record Amount(ToLongFunction<BackupResult> of, Counter counter) {}

  private Amount amount(String name, String what, ToLongFunction<BackupResult> of) {
    return new Amount(
        of,
        Counter.builder("mover.proxy." + name)
            .description(what + ", of ended jobs")
            .baseUnit("bytes")
            .register(registry));
  }

  /** Shows what is now; once. */
  void watch(JobBook jobs, LimitDesk limits, LongSupplier blockMemoryBytes) {
    gauge("mover.proxy.jobs.queued", "Jobs that wait", jobs::queuedCount);
    gauge("mover.proxy.jobs.running", "Jobs that run", jobs::runningCount);
    gauge("mover.proxy.tasks.limit", "Most disks at once", () -> limits.now().maxConcurrentTasks());
    Gauge.builder("mover.proxy.block.memory", () -> (double) blockMemoryBytes.getAsLong())
        .description("Block memory in use")
        .baseUnit("bytes")
        .register(registry);
  }

  private void gauge(String name, String description, IntSupplier value) {
    Gauge.builder(name, () -> (double) value.getAsInt())
        .description(description)
        .register(registry);
  }

  void ended(JobState state, @Nullable BackupResult result) {
    count(ends.get(state), 1);
    if (result != null) {
      for (Amount amount : amounts) {
        amount.counter.increment((double) amount.of.applyAsLong(result));
      }
      for (Stage stage : Stage.values()) {
        long busyNs = result.stages().getOrDefault(stage, StageFigures.NONE).busyNs();
        count(busy.get(stage), busyNs / 1e9);
      }
    }
  }

  private static void count(@Nullable Counter counter, double by) {
    if (counter != null) {
      counter.increment(by);
    }
  }

  /** The text format Prometheus reads. */
  String scrape() {
    return registry.scrape();
  }
}
