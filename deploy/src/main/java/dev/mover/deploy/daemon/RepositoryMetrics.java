package dev.mover.deploy.daemon;

import dev.mover.api.error.ErrorCode;
import dev.mover.repository.ExtentStatus;
import dev.mover.repository.MemoryStatus;
import dev.mover.repository.Repository;
import dev.mover.repository.figures.Figures;
import dev.mover.repository.serve.Scrub;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * What a Prometheus server may read of a repository: counters since it was opened, gauges of what
 * is now. Names are a promise.
 */
final class RepositoryMetrics {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  RepositoryMetrics() {
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
  }

  /** Shows a repository; once. */
  void watch(Repository repository) {
    gauge("sessions", "Backup sessions that are open", () -> repository.sessions().size());
    gauge("task.slots.in.use", "Disks that stream in", () -> repository.status().runningTasks());
    gauge(
        "task.slots.queued", "Disks that wait for a slot", () -> repository.status().queuedTasks());
    gauge("task.slots.limit", "Most disks at once", () -> repository.limits().maxConcurrentTasks());
    gauge("points", "Restore points that are listed", () -> repository.status().points());
    gauge(
        "damaged.blocks",
        "Blocks that are known to be damaged somewhere",
        () -> repository.damagedBlocks());
    scrub(repository.scrub());
    Gauge.builder(name("partials"), () -> repository.partials().occupiedBytes())
        .description("What partials take on disk, running sessions' included; at most a minute old")
        .baseUnit("bytes")
        .register(registry);
    extent("capacity", "Size of the extent", repository, ExtentStatus::capacityBytes);
    extent("free", "Room left on the extent", repository, ExtentStatus::freeBytes);
    for (MemoryStatus pool : repository.memory()) {
      buffers(repository, pool.name());
    }
    figures(repository.figures());
  }

  private static String name(String name) {
    return "mover.repository." + name;
  }

  private void gauge(String name, String description, Supplier<Number> value) {
    Gauge.builder(name(name), value).description(description).register(registry);
  }

  private void scrub(Scrub scrub) {
    FunctionCounter.builder(name("scrub.read"), scrub, s -> s.status().readBytes())
        .description("Read by the background scrub")
        .baseUnit("bytes")
        .register(registry);
    FunctionCounter.builder(name("scrub.points"), scrub, s -> s.status().checkedPoints())
        .description("Points the background scrub checked")
        .register(registry);
    FunctionCounter.builder(name("scrub.damaged.points"), scrub, s -> s.status().damagedPoints())
        .description("Points the background scrub found damaged")
        .register(registry);
  }

  private void extent(
      String name, String description, Repository repository, Function<ExtentStatus, Long> of) {
    Gauge.builder(name("extent." + name), () -> of.apply(repository.extents().getFirst()))
        .description(description)
        .baseUnit("bytes")
        .register(registry);
  }

  private void buffers(Repository repository, String pool) {
    Gauge.builder(
            name("buffers.leased"),
            () ->
                repository.memory().stream()
                    .filter(now -> now.name().equals(pool))
                    .mapToLong(MemoryStatus::leasedBytes)
                    .sum())
        .description("Buffer memory in use, by pool")
        .tag("pool", pool)
        .baseUnit("bytes")
        .register(registry);
  }

  private void figures(Figures figures) {
    bytes("received", "Payloads that came in", figures, Figures::receivedBytes);
    bytes("stored", "Slots written, with headers and padding", figures, Figures::storedBytes);
    bytes("linked", "Slots that committed points share", figures, Figures::linkedBytes);
    bytes("served", "Payloads that went out to restores", figures, Figures::servedBytes);
    FunctionCounter.builder(name("points.deleted"), figures, Figures::deletedPoints)
        .description("Restore points deleted, by somebody or by a retention")
        .register(registry);
    timer("commit", "Commits, and the time they took", figures, Figures::commits);
    timer("checkpoint", "Checkpoints, and the time they took", figures, Figures::checkpoints);
    for (ErrorCode code : ErrorCode.values()) {
      FunctionCounter.builder(name("errors"), figures, f -> f.errors(code))
          .description("Links that ended with an error, by its name")
          .tag("code", code.name())
          .register(registry);
    }
  }

  private void bytes(
      String name, String description, Figures figures, ToDoubleFunction<Figures> value) {
    FunctionCounter.builder(name(name), figures, value)
        .description(description)
        .baseUnit("bytes")
        .register(registry);
  }

  private void timer(
      String name, String description, Figures figures, Function<Figures, Figures.Times> of) {
    FunctionTimer.builder(
            name(name),
            figures,
            f -> of.apply(f).count(),
            f -> of.apply(f).totalNs(),
            TimeUnit.NANOSECONDS)
        .description(description)
        .register(registry);
  }

  /** The text format Prometheus reads. */
  String scrape() {
    return registry.scrape();
  }
}
