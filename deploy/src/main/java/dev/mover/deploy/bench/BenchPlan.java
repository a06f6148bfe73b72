package dev.mover.deploy.bench;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What to measure.
 *
 * @param image to read; empty: one is made
 * @param directory where everything is made, in a folder of its own
 * @param imageBytes of an image that is made; half of it holds data
 * @param warmRounds after the cold one
 * @param tasks how many disks the image is cut into, beside 1
 * @param places where repositories lie
 */
public record BenchPlan(
    Optional<Path> image,
    Path directory,
    long imageBytes,
    long seed,
    int warmRounds,
    List<Integer> tasks,
    List<Place> places) {
  public static final int LEAST_WARM_ROUNDS = 3;
  public static final List<Integer> TASKS = List.of(2, 4, 6);

  /** Kinds of places. */
  public enum Place {
    DIRECTORY("directory"),
    XFS("XFS");

    private final String label;

    Place(String label) {
      this.label = label;
    }

    String label() {
      return label;
    }
  }

  public BenchPlan {
    tasks = List.copyOf(tasks);
    places = List.copyOf(places);
  }
}
