package dev.mover.repository.slot;

/**
 * Most tasks at once.
 *
 * @param repository over all extents
 * @param extent on the one extent there is; 0: no limit of its own
 */
public record SlotLimits(int repository, int extent) {
  public SlotLimits {
    if (repository < 1 || extent < 0) {
      throw new IllegalArgumentException("task limits of " + repository + " and " + extent);
    }
  }

  /** The tighter one. */
  public int tasks() {
    return extent == 0 ? repository : Math.min(repository, extent);
  }

  /** What one waits for when both are used up. */
  String what() {
    return tasks() < repository ? "a slot of the extent" : "a repository slot";
  }
}
