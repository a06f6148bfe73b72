package dev.mover.repository.extent;

/**
 * What the file system of an extent can do, found by trying it.
 *
 * @param fileSystem its type, for example {@code xfs}
 * @param cloneGranularity multiple that offsets and lengths of clones must have, in bytes; 0: can't
 *     clone
 * @param direct reads and writes past the page cache
 * @param punch frees ranges inside a file
 */
public record ExtentMode(String fileSystem, int cloneGranularity, boolean direct, boolean punch) {
  private static final int PAGE = 4096;

  public boolean clones() {
    return cloneGranularity > 0;
  }

  /** Slots begin on multiples of this. */
  public int slotAlignment() {
    return Math.max(PAGE, cloneGranularity);
  }

  /** For people: {@code cloning (xfs, 4096, direct)} or {@code no cloning (ext4, direct)}. */
  public String label() {
    String io = direct ? "direct" : "page cache";
    return clones()
        ? "cloning (%s, %d, %s)".formatted(fileSystem, cloneGranularity, io)
        : "no cloning (%s, %s)".formatted(fileSystem, io);
  }
}
