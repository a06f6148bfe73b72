package dev.mover.deploy.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mover.api.status.Status;
import dev.mover.deploy.bench.Samples.Age;
import dev.mover.deploy.text.Amounts;
import dev.mover.deploy.text.Table;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** Everything that was measured, for people and as JSON. */
public final class BenchReport {
  private static final String NOTHING = "-";

  private final Path image;
  private final long imageBytes;
  private final List<PlaceReport> places = new ArrayList<>();

  BenchReport(Path image, long imageBytes) {
    this.image = image;
    this.imageBytes = imageBytes;
  }

  void add(PlaceReport place) {
    places.add(place);
  }

  /** A warning when a promise was not kept. */
  public Status status() {
    boolean kept = places.stream().flatMap(p -> p.findings().stream()).allMatch(Finding::kept);
    return kept ? Status.SUCCESS : Status.WARNING;
  }

  /** Tables: what was measured, then the promises. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "%s, %s, on %d cores"
            .formatted(
                image, Amounts.bytes(imageBytes), Runtime.getRuntime().availableProcessors()));
    for (PlaceReport place : places) {
      lines.add("");
      lines.addAll(measured(place).lines());
      lines.add("");
      lines.addAll(promises(place).lines());
    }
    return lines;
  }

  private static Table measured(PlaceReport place) {
    Table table =
        new Table(
            place.place().label().toUpperCase(Locale.ROOT),
            ">COLD",
            ">WARM",
            ">MB/S COLD",
            ">MB/S WARM",
            ">OF CPU LOOP",
            ">CPU S",
            ">SENT",
            ">STORED");
    for (Subject subject : Subject.values()) {
      List<Sample> own =
          place.samples().all().stream().filter(s -> s.subject() == subject).toList();
      if (!own.isEmpty()) {
        row(table, place.samples(), subject, own.getLast());
      }
    }
    return table;
  }

  private static void row(Table table, Samples samples, Subject subject, Sample last) {
    OptionalDouble cold = samples.seconds(subject, Age.COLD);
    OptionalDouble warm = samples.seconds(subject, Age.WARM);
    OptionalDouble share = samples.speed(subject, Subject.CPU_LOOP, Age.WARM);
    table.row(
        subject.label(),
        seconds(cold),
        seconds(warm),
        rate(last.readBytes(), cold),
        rate(last.readBytes(), warm),
        share.isPresent() ? "%.2f".formatted(share.getAsDouble()) : NOTHING,
        "%.1f".formatted(last.cpuMs() / 1e3),
        Amounts.bytes(last.sentBytes()),
        Amounts.bytes(last.storedBytes()));
  }

  private static Table promises(PlaceReport place) {
    Table table = new Table("PROMISE", ">MEASURED", ">LIMIT", "");
    for (Finding f : place.findings()) {
      table.row(
          f.promise(),
          amount(f.value(), f),
          (f.atLeast() ? "≥ " : "≤ ") + amount(f.limit(), f),
          f.kept() ? "kept" : "MISSED");
    }
    return table;
  }

  private static String amount(double value, Finding finding) {
    return finding.factor()
        ? String.format(Locale.ROOT, "%.3f", value)
        : String.format(Locale.ROOT, "%.0f MiB", value);
  }

  private static String seconds(OptionalDouble seconds) {
    return seconds.isPresent()
        ? String.format(Locale.ROOT, "%.2f s", seconds.getAsDouble())
        : NOTHING;
  }

  private static String rate(long bytes, OptionalDouble seconds) {
    return seconds.isPresent()
        ? Amounts.rate(bytes, Duration.ofNanos((long) (seconds.getAsDouble() * 1e9)))
            .replace(" MB/s", "")
        : NOTHING;
  }

  /** One object with every sample. */
  public String json() {
    ObjectNode root =
        JsonNodeFactory.instance
            .objectNode()
            .put("status", status().name().toLowerCase(Locale.ROOT))
            .put("image", image.toString())
            .put("sizeBytes", imageBytes)
            .put("cores", Runtime.getRuntime().availableProcessors())
            .put("java", System.getProperty("java.version"));
    ArrayNode list = root.putArray("places");
    places.forEach(place -> list.add(json(place)));
    return root.toString();
  }

  private static ObjectNode json(PlaceReport place) {
    ObjectNode node =
        JsonNodeFactory.instance
            .objectNode()
            .put("place", place.place().label())
            .put("cloning", place.cloning());
    ArrayNode samples = node.putArray("samples");
    place.samples().all().forEach(s -> samples.add(json(s)));
    ObjectNode medians = node.putObject("medians");
    for (Subject subject : Subject.values()) {
      median(medians, place.samples(), subject);
    }
    ArrayNode promises = node.putArray("promises");
    for (Finding f : place.findings()) {
      promises
          .addObject()
          .put("promise", f.promise())
          .put("measured", f.value())
          .put("limit", f.limit())
          .put("atLeast", f.atLeast())
          .put("kept", f.kept());
    }
    ObjectNode memory = node.putObject("peakRssBytes");
    place.peakRssBytes().forEach(memory::put);
    return node;
  }

  private static void median(ObjectNode medians, Samples samples, Subject subject) {
    OptionalDouble cold = samples.seconds(subject, Age.COLD);
    OptionalDouble warm = samples.seconds(subject, Age.WARM);
    if (cold.isEmpty() && warm.isEmpty()) {
      return;
    }
    ObjectNode node = medians.putObject(subject.key());
    cold.ifPresent(value -> node.put("coldMs", Math.round(1e3 * value)));
    warm.ifPresent(value -> node.put("warmMs", Math.round(1e3 * value)));
    samples
        .speed(subject, Subject.CPU_LOOP, Age.WARM)
        .ifPresent(value -> node.put("ofCpuLoop", value));
  }

  private static ObjectNode json(Sample s) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("subject", s.subject().key())
        .put("round", s.round())
        .put("ms", s.ns() / 1_000_000)
        .put("readBytes", s.readBytes())
        .put("sentBytes", s.sentBytes())
        .put("storedBytes", s.storedBytes())
        .put("cpuMs", s.cpuMs())
        .put("load", s.load());
  }
}
