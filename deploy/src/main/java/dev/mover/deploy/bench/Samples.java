package dev.mover.deploy.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;

/** Everything measured in one place (a directory, an XFS); round 0 is kept apart. */
final class Samples {
  private final List<Sample> all = new ArrayList<>();

  /** Which rounds count. */
  enum Age {
    COLD,
    WARM
  }

  void add(Sample sample) {
    all.add(sample);
  }

  List<Sample> all() {
    return List.copyOf(all);
  }

  /** The median time; of an even number the mean of the two in the middle. */
  OptionalDouble seconds(Subject subject, Age age) {
    List<Double> times = of(subject, age).stream().map(Sample::seconds).sorted().toList();
    if (times.isEmpty()) {
      return OptionalDouble.empty();
    }
    int middle = times.size() / 2;
    return OptionalDouble.of(
        times.size() % 2 == 1
            ? times.get(middle)
            : (times.get(middle - 1) + times.get(middle)) / 2);
  }

  /** How fast {@code subject} is beside {@code roofline}: 1 is as fast, 0.5 takes twice as long. */
  OptionalDouble speed(Subject subject, Subject roofline, Age age) {
    OptionalDouble own = seconds(subject, age);
    OptionalDouble best = seconds(roofline, age);
    return own.isPresent() && best.isPresent()
        ? OptionalDouble.of(best.getAsDouble() / own.getAsDouble())
        : OptionalDouble.empty();
  }

  /** The largest value of any round. */
  OptionalLong most(Subject subject, ToLongFunction<Sample> value) {
    return all.stream().filter(s -> s.subject() == subject).mapToLong(value).max();
  }

  private List<Sample> of(Subject subject, Age age) {
    return all.stream()
        .filter(s -> s.subject() == subject && (s.round() == 0) == (age == Age.COLD))
        .toList();
  }
}
