package dev.mover.deploy.bench;

import dev.mover.deploy.bench.BenchPlan.Place;
import dev.mover.deploy.bench.Samples.Age;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.ToLongFunction;

/** What the mover promises about its speed, size and memory, held against one place's samples. */
final class Targets {
  /** Of a daemon at 6 tasks. */
  static final double MOST_RSS_MIB = 512;

  private final Samples samples;
  private final List<Finding> findings = new ArrayList<>();

  private Targets(Samples samples) {
    this.samples = samples;
  }

  /**
   * @param cloning whether the place shares blocks of different machines
   */
  static List<Finding> check(Place place, Samples samples, boolean cloning) {
    Targets targets = new Targets(samples);
    if (place == Place.DIRECTORY) {
      targets.speedsBesideCpu();
    }
    targets.speeds();
    targets.sizes(cloning);
    return targets.findings;
  }

  static Finding memory(String process, long peakRssBytes) {
    return new Finding(
        "most memory of " + process, peakRssBytes / (double) (1 << 20), MOST_RSS_MIB, false, false);
  }

  /** Not on a loop device, whose own work the CPU loop, which writes nothing, doesn't have. */
  private void speedsBesideCpu() {
    speed("TCP to the CPU loop", Subject.TCP, Subject.CPU_LOOP, Age.WARM, 0.78);
    speed("embedded to the CPU loop", Subject.EMBEDDED, Subject.CPU_LOOP, Age.WARM, 0.85);
    speed("cold: TCP to the CPU loop", Subject.TCP, Subject.CPU_LOOP, Age.COLD, 0.65);
    speed("cold: embedded to the CPU loop", Subject.EMBEDDED, Subject.CPU_LOOP, Age.COLD, 0.75);
  }

  private void speeds() {
    speed("TCP to the loop with write", Subject.TCP, Subject.WRITE_LOOP, Age.WARM, 0.90);
    speed("embedded to the loop with write", Subject.EMBEDDED, Subject.WRITE_LOOP, Age.WARM, 0.95);
    speed("one task to six", Subject.TCP, Subject.TASKS_6, Age.WARM, 0.95);
    speed(
        "second run to the read + hash loop",
        Subject.UNCHANGED,
        Subject.READ_HASH_LOOP,
        Age.WARM,
        0.85);
    speed("restore to the unpack loop", Subject.RESTORE, Subject.UNPACK_LOOP, Age.WARM, 0.80);
  }

  private void sizes(boolean cloning) {
    size("stored to the loop's", Subject.TCP, Subject.CPU_LOOP, Sample::storedBytes, 1.02);
    size("second run: sent", Subject.UNCHANGED, Subject.TCP, Sample::sentBytes, 0.01);
    if (cloning) {
      size("second machine: sent", Subject.SECOND_MACHINE, Subject.TCP, Sample::sentBytes, 0.01);
      size(
          "second machine: stored", Subject.SECOND_MACHINE, Subject.TCP, Sample::storedBytes, 0.01);
    }
  }

  private void speed(String promise, Subject subject, Subject roofline, Age age, double least) {
    OptionalDouble speed = samples.speed(subject, roofline, age);
    speed.ifPresent(value -> findings.add(new Finding(promise, value, least, true, true)));
  }

  private void size(
      String promise, Subject subject, Subject whole, ToLongFunction<Sample> bytes, double most) {
    var value = samples.most(subject, bytes);
    var of = samples.most(whole, bytes);
    if (value.isPresent() && of.isPresent() && of.getAsLong() > 0) {
      double ratio = (double) value.getAsLong() / of.getAsLong();
      findings.add(new Finding(promise, ratio, most, false, true));
    }
  }
}
