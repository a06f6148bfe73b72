package dev.mover.itests;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a repository must hold: the disks of every point whose backup was told that it is committed;
 * and what it may hold, as whoever asked for it was told nothing.
 */
final class PointModel {
  private final Map<String, NavigableMap<Long, List<byte[]>>> kept = new TreeMap<>();
  private final Map<String, List<List<byte[]>>> begun = new HashMap<>();
  private final Map<String, List<Long>> doomed = new HashMap<>();
  private final Map<String, Set<Long>> rotten = new HashMap<>();

  NavigableMap<Long, List<byte[]>> of(String machine) {
    return kept.computeIfAbsent(machine, _ -> new TreeMap<>());
  }

  Iterable<String> machines() {
    return List.copyOf(kept.keySet());
  }

  void committed(String machine, long sequence, List<byte[]> disks) {
    if (of(machine).put(sequence, disks) != null) {
      throw new AssertionError("number %d of %s is given twice".formatted(sequence, machine));
    }
  }

  /** A backup that failed: a point of these disks may turn up. */
  void mayHave(String machine, List<byte[]> disks) {
    begun.computeIfAbsent(machine, _ -> new ArrayList<>()).add(disks);
  }

  void deleted(String machine, List<Long> sequences) {
    of(machine).keySet().removeAll(sequences);
  }

  /** A deletion that failed: these may be gone. */
  void mayLack(String machine, List<Long> sequences) {
    doomed.computeIfAbsent(machine, _ -> new ArrayList<>()).addAll(sequences);
  }

  /** Points that verify found damaged: their blocks may be missing, and may not be others. */
  Set<Long> rotten(String machine) {
    return rotten.computeIfAbsent(machine, _ -> new TreeSet<>());
  }

  /** Restores a point's disks. */
  interface Reader {
    List<byte[]> read(long sequence);
  }

  /**
   * Takes what is listed for what is there, as far as that may be; whatever is in doubt is no more
   * from then on.
   */
  void settle(String machine, List<Long> listed, Reader reader) {
    NavigableMap<Long, List<byte[]>> points = of(machine);
    for (long gone : doomed.getOrDefault(machine, List.of())) {
      if (!listed.contains(gone)) {
        points.remove(gone);
      }
    }
    for (long sequence : listed) {
      if (!points.containsKey(sequence)) {
        points.put(sequence, unexpected(machine, sequence, reader.read(sequence)));
      }
    }
    if (!points.navigableKeySet().equals(new TreeSet<>(listed))) {
      throw new AssertionError(
          "machine %s must have points %s, and has %s".formatted(machine, points.keySet(), listed));
    }
    begun.remove(machine);
    doomed.remove(machine);
  }

  private List<byte[]> unexpected(String machine, long sequence, List<byte[]> disks) {
    Optional<List<byte[]>> known =
        begun.getOrDefault(machine, List.of()).stream().filter(b -> equal(b, disks)).findFirst();
    return known.orElseThrow(
        () ->
            new AssertionError(
                "point %d of %s is of disks that nobody backed up".formatted(sequence, machine)));
  }

  static boolean equal(List<byte[]> one, List<byte[]> other) {
    boolean equal = one.size() == other.size();
    for (int i = 0; equal && i < one.size(); i++) {
      equal = Arrays.equals(one.get(i), other.get(i));
    }
    return equal;
  }
}
