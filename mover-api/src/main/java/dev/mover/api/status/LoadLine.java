package dev.mover.api.status;

import java.util.Comparator;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Busy share of every stage, the bottleneck, and what would bind next.
 *
 * <p>A stage that is busy a share {@code l} of the time while the disk is processed at a rate
 * {@code r} could carry {@code r / l}. The stage with the largest share is the bottleneck; the next
 * limit is the smallest of the others' {@code r / l}. It is a prediction for the same data: a stage
 * that works on several transfers at once (a deep queue) may turn out faster.
 *
 * @param percent busy share by stage, 0 to 100
 * @param rateBytesPerSec plain bytes of data processed by time; holes that nobody read are not in
 *     it
 */
public record LoadLine(
    Map<Stage, Integer> percent, double rateBytesPerSec, Map<Stage, Double> load) {
  public LoadLine {
    percent = Map.copyOf(percent);
    load = Map.copyOf(load);
  }

  /**
   * The load line of one task or session.
   *
   * @param figures one for every stage
   * @param dataBytes plain bytes that passed in {@code elapsedNs}
   */
  public static LoadLine of(Map<Stage, StageFigures> figures, long dataBytes, long elapsedNs) {
    Map<Stage, Integer> percent = new EnumMap<>(Stage.class);
    Map<Stage, Double> load = new EnumMap<>(Stage.class);
    for (Stage stage : Stage.values()) {
      long busyNs = figures.getOrDefault(stage, StageFigures.NONE).busyNs();
      double share = elapsedNs <= 0 ? 0 : Math.clamp((double) busyNs / elapsedNs, 0.0, 1.0);
      load.put(stage, share);
      percent.put(stage, (int) Math.round(100 * share));
    }
    return new LoadLine(percent, elapsedNs <= 0 ? 0 : dataBytes * 1e9 / elapsedNs, load);
  }

  public Stage bottleneck() {
    return busiest(Stream.of(Stage.values()));
  }

  /** The stage that would bind if the bottleneck were gone. */
  public Stage nextLimit() {
    Stage first = bottleneck();
    return busiest(Stream.of(Stage.values()).filter(s -> s != first));
  }

  /** The rate at which {@link #nextLimit} would bind, in bytes of data a second. */
  public double nextLimitBytesPerSec() {
    double share = load.getOrDefault(nextLimit(), 0.0);
    return share == 0 ? Double.POSITIVE_INFINITY : rateBytesPerSec / share;
  }

  private Stage busiest(Stream<Stage> stages) {
    return stages.max(Comparator.comparing(s -> load.getOrDefault(s, 0.0))).orElseThrow();
  }

  /** As the field writes it: {@code source 12 % > proxy 97 % > network 3 % > target 20 %}. */
  @Override
  public String toString() {
    return Stream.of(Stage.values())
        .map(s -> String.format(Locale.ROOT, "%s %d %%", s.label(), percent.get(s)))
        .collect(Collectors.joining(" > "));
  }
}
