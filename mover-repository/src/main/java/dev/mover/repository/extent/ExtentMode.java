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
  private static final int KIB = 1024;
  private static final int PAGE = 4 * KIB;

  public boolean clones() {
    return cloneGranularity > 0;
  }

  /** Slots begin on multiples of this. */
  public int slotAlignment() {
    return Math.max(PAGE, cloneGranularity);
  }

  /**
   * For people: {@code cloning on xfs, 4 KiB aligned, direct I/O} or {@code no cloning on ext4,
   * direct I/O}.
   */
  public String label() {
    String io = direct ? "direct I/O" : "through the page cache";
    return clones()
        ? "cloning on %s, %s aligned, %s".formatted(fileSystem, size(cloneGranularity), io)
        : "no cloning on %s, %s".formatted(fileSystem, io);
  }

  private static String size(int bytes) {
    return bytes % KIB == 0 ? bytes / KIB + " KiB" : bytes + " B";
  }
}
