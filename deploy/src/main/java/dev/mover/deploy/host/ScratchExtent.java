package dev.mover.deploy.host;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * An empty place for a repository: on an XFS in an image file of its own where that may be, else a
 * plain directory.
 *
 * @param directory exists not yet; its parent does
 * @param xfs whether it lies on an XFS of its own
 * @param says a sentence on which it is and why
 */
public record ScratchExtent(Path directory, boolean xfs, String says) {
  private static final String NAME = "repository";

  /**
   * A place below {@code work}; an XFS is unmounted by {@code cleanup}.
   *
   * @param imageBytes of the XFS; sparse, so it costs what is written
   */
  public static ScratchExtent open(Path work, long imageBytes, Cleanup cleanup) throws IOException {
    String lacks = lacks();
    if (!lacks.isEmpty()) {
      return plain(work, lacks);
    }
    Path image = work.resolve("xfs.img");
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(imageBytes);
    }
    Path mount = Files.createDirectory(work.resolve("xfs"));
    try {
      Tool.run("mkfs.xfs", "-q", "-m", "reflink=1", image.toString());
      Tool.run("mount", "-o", "loop", image.toString(), mount.toString());
    } catch (IOException e) {
      Files.deleteIfExists(image);
      return plain(work, String.valueOf(e.getMessage()));
    }
    cleanup.add("unmount " + mount, () -> unmount(mount));
    pastPageCache(mount);
    return new ScratchExtent(
        mount.resolve(NAME), true, "on a loop-mounted XFS, which shares equal blocks by cloning");
  }

  private static String lacks() throws IOException {
    if (!Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"))) {
      return "mounting takes root";
    }
    return Tool.exists("mkfs.xfs") && Tool.exists("mount") ? "" : "apt-get install xfsprogs";
  }

  private static ScratchExtent plain(Path work, String why) {
    return new ScratchExtent(
        work.resolve(NAME),
        false,
        "in a plain directory (no XFS here: "
            + why.replace('\n', ' ')
            + "), where machines share nothing unless the file system below can clone");
  }

  /** A disk doesn't copy what is written to it into this host's memory first. */
  private static void pastPageCache(Path mount) throws IOException {
    for (String mounted : Files.readAllLines(Path.of("/proc/self/mounts"))) {
      String[] fields = mounted.split(" ", 3);
      if (fields[1].equals(mount.toString())) {
        try {
          Tool.run("losetup", "--direct-io=on", fields[0]);
        } catch (IOException refused) {
          return; // slower by a copy where the file system below can't, and as good otherwise
        }
      }
    }
  }

  private static void unmount(Path mount) throws IOException {
    try {
      Tool.run("umount", mount.toString());
    } catch (IOException busy) {
      Tool.run("umount", "--lazy", mount.toString()); // goes with the last process that uses it
    }
  }
}
