package dev.mover.deploy.bench;

import dev.mover.deploy.bench.BenchPlan.Place;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What came out in one place.
 *
 * @param cloning whether machines share blocks there
 * @param peakRssBytes by process
 */
record PlaceReport(Place place, boolean cloning, Samples samples, Map<String, Long> peakRssBytes) {
  PlaceReport {
    peakRssBytes = new LinkedHashMap<>(peakRssBytes);
  }

  /** Every promise that could be checked. */
  List<Finding> findings() {
    List<Finding> findings = new ArrayList<>(Targets.check(place, samples, cloning));
    peakRssBytes.forEach(
        (process, bytes) -> {
          if (!process.startsWith("loop")) {
            findings.add(Targets.memory(process, bytes));
          }
        });
    return findings;
  }
}
