package dev.mover.deploy.demo;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where the demo's repository lies: an XFS in an image file of its own where that may be, else a
 * plain directory.
 *
 * @param says a sentence on which it is and why
 */
record DemoExtent(Path directory, String says) {
  /** Room for all backup files; sparse, so it costs what is written. */
  private static final long IMAGE_BYTES = 3L << 30;

  static DemoExtent open(Path work, Cleanup cleanup) throws IOException {
    String lacks = lacks();
    if (!lacks.isEmpty()) {
      return plain(work, lacks);
    }
    Path image = work.resolve("xfs.img");
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(IMAGE_BYTES);
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
    return new DemoExtent(
        mount.resolve("repository"), "on a loop-mounted XFS, which shares equal blocks by cloning");
  }

  private static String lacks() throws IOException {
    if (!Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"))) {
      return "mounting takes root";
    }
    return Tool.exists("mkfs.xfs") && Tool.exists("mount") ? "" : "apt-get install xfsprogs";
  }

  private static DemoExtent plain(Path work, String why) {
    return new DemoExtent(
        work.resolve("repository"),
        "in a plain directory (no XFS here: "
            + why.replace('\n', ' ')
            + "), where machines share nothing unless the file system below can clone");
  }

  private static void unmount(Path mount) throws IOException {
    try {
      Tool.run("umount", mount.toString());
    } catch (IOException busy) {
      Tool.run("umount", "--lazy", mount.toString()); // goes with the last process that uses it
    }
  }
}
