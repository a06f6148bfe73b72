package dev.mover.deploy.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.mover.api.status.Status;
import dev.mover.deploy.bench.BenchPlan.Place;
import dev.mover.deploy.bench.Samples.Age;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SamplesTest {
  private final Samples samples = new Samples();

  @Test
  void coldRoundIsKeptApartAndMediansAreOfTheWarmOnes() {
    times(Subject.CPU_LOOP, 40, 10, 30, 20);
    times(Subject.TCP, 50, 20, 20, 100, 30);

    assertThat(samples.seconds(Subject.CPU_LOOP, Age.COLD)).hasValue(40);
    assertThat(samples.seconds(Subject.CPU_LOOP, Age.WARM)).hasValue(20);
    assertThat(samples.seconds(Subject.TCP, Age.WARM)).hasValue(25);
    assertThat(samples.speed(Subject.TCP, Subject.CPU_LOOP, Age.WARM)).hasValue(0.8);
    assertThat(samples.speed(Subject.TCP, Subject.CPU_LOOP, Age.COLD)).hasValue(0.8);
    assertThat(samples.seconds(Subject.RESTORE, Age.WARM)).isEmpty();
  }

  @Test
  void promisesAreHeldAgainstTheirLimits() {
    times(Subject.CPU_LOOP, 40, 20, 20, 20);
    times(Subject.WRITE_LOOP, 40, 21, 21, 21);
    times(Subject.TCP, 62, 25, 25, 25);

    List<Finding> findings = Targets.check(Place.DIRECTORY, samples, false);

    assertThat(findings)
        .extracting(Finding::promise, Finding::kept)
        .contains(
            tuple("TCP to the CPU loop", true),
            tuple("TCP to the loop with write", false),
            tuple("cold: TCP to the CPU loop", false));
    assertThat(Targets.memory("proxy", 512L << 20).kept()).isTrue();
    assertThat(Targets.memory("proxy", 513L << 20).kept()).isFalse();
  }

  @Test
  void sharingBetweenMachinesIsPromisedWhereTheFileSystemClones() {
    times(Subject.TCP, 20, 20);
    times(Subject.SECOND_MACHINE, 20, 20);

    assertThat(Targets.check(Place.DIRECTORY, samples, false))
        .noneMatch(f -> f.promise().contains("machine"));
    assertThat(Targets.check(Place.DIRECTORY, samples, true))
        .filteredOn(f -> f.promise().contains("machine"))
        .hasSize(2)
        .noneMatch(Finding::kept);
  }

  @Test
  void reportShowsEverySampleAndSaysWhatWasMissed() throws Exception {
    times(Subject.CPU_LOOP, 40, 20, 20, 20);
    times(Subject.TCP, 40, 40, 40, 40);
    BenchReport report = new BenchReport(Path.of("/disk.img"), 1000);
    report.add(
        new PlaceReport(Place.DIRECTORY, false, samples, Map.of("proxy", 100L << 20, "loop", 1L)));

    JsonNode json = new ObjectMapper().readTree(report.json());
    JsonNode place = json.path("places").path(0);
    assertThat(report.status()).isEqualTo(Status.WARNING);
    assertThat(json.path("status").asText()).isEqualTo("warning");
    assertThat(place.path("samples")).hasSize(8);
    assertThat(place.path("medians").path("tcp").path("warmMs").asLong()).isEqualTo(40_000);
    assertThat(place.path("medians").path("tcp").path("ofCpuLoop").asDouble()).isEqualTo(0.5);
    assertThat(place.path("peakRssBytes").path("proxy").asLong()).isEqualTo(100L << 20);
    assertThat(report.lines())
        .anyMatch(line -> line.contains("TCP to the CPU loop") && line.contains("MISSED"))
        .anyMatch(line -> line.contains("most memory of proxy") && line.contains("kept"))
        .noneMatch(line -> line.contains("most memory of loop"));
  }

  /** One sample a round; 100 bytes sent and stored. */
  private void times(Subject subject, long... seconds) {
    for (int round = 0; round < seconds.length; round++) {
      samples.add(
          new Sample(subject, round, seconds[round] * 1_000_000_000, 1000, 100, 100, 1, ""));
    }
  }
}
