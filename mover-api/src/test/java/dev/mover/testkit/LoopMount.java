package dev.mover.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A freshly made file system on a {@link LoopDevice}, mounted under a temporary folder; unmounted
 * and deleted on close. XFS takes at least 300 MiB, Btrfs 128 MiB.
 */
public final class LoopMount implements AutoCloseable {
  private static final Map<Kind, Optional<String>> WHY_NOT = new ConcurrentHashMap<>();

  /** The file systems a repository meets. */
  public enum Kind {
    XFS("xfs", "-f"),
    BTRFS("btrfs", "-f"),
    EXT4("ext4", "-F");

    private final String fileSystem;
    private final String force;

    Kind(String fileSystem, String force) {
      this.fileSystem = fileSystem;
      this.force = force;
    }

    /** Whether files on it can share blocks. */
    public boolean clones() {
      return this != EXT4;
    }

    String tool() {
      return "mkfs." + fileSystem;
    }
  }

  private static final int MARKER_BYTES = 128;

  private final LoopDevice device;
  private final Path folder;

  private LoopMount(LoopDevice device, Path folder) {
    this.device = device;
    this.folder = folder;
  }

  /** Why this machine can't mount one; empty when it can. Tried once, with a real mount. */
  public static Optional<String> available(Kind kind) {
    return WHY_NOT.computeIfAbsent(kind, LoopMount::tryOne);
  }

  /** A mounted file system of {@code sizeBytes}; skips the test, aloud, where there is none. */
  public static LoopMount orSkip(Kind kind, long sizeBytes) {
    return orSkip(kind, sizeBytes, 512);
  }

  /** As {@link #orSkip(Kind, long)}, on a device with sectors of 512 or 4096 bytes. */
  public static LoopMount orSkip(Kind kind, long sizeBytes, int sectorSize) {
    Shell.skipIf("a loop-mounted " + kind, available(kind));
    return mount(kind, sizeBytes, sectorSize);
  }

  /** Where it is mounted. */
  public Path folder() {
    return folder;
  }

  /** The block device it is on. */
  public Path device() {
    return device.device();
  }

  /**
   * Lets one byte of a file rot on the device, below the file system: whatever shares the block has
   * it too. Everything is written out and no cached page is left.
   *
   * @param block offset in the file, a multiple of 4 KiB; its first 128 bytes must be like no
   *     others on the device
   * @param at which byte of it
   */
  public void rot(Path file, long block, int at) {
    dropCaches();
    byte[] marker = new byte[MARKER_BYTES];
    try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
      in.read(ByteBuffer.wrap(marker), block);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (Arrays.equals(marker, new byte[MARKER_BYTES])) {
      throw new IllegalArgumentException(file + " at " + block + " is zeros, as much else is");
    }
    dropCaches();
    if (device.rot(marker, at) == 0) {
      throw new IllegalStateException(file + " at " + block + " is not found on its device");
    }
    dropCaches();
  }

  /** Writes everything out and drops clean cached pages: the next read comes from the device. */
  public void dropCaches() {
    try {
      Shell.run("sync", "--file-system", folder.toString());
      Files.writeString(Path.of("/proc/sys/vm/drop_caches"), "1");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes wait from now on until {@link #thaw}, and none fails; reading goes on. */
  public void freeze() {
    Shell.run("fsfreeze", "--freeze", folder.toString());
  }

  /** Writes go on; before {@link #close}, which would wait, too. */
  public void thaw() {
    Shell.run("fsfreeze", "--unfreeze", folder.toString());
  }

  @Override
  public void close() {
    Shell.run("umount", folder.toString());
    LoopDevice.delete(folder);
    device.close();
  }

  private static Optional<String> tryOne(Kind kind) {
    Optional<String> noDevice = LoopDevice.available();
    if (noDevice.isPresent()) {
      return noDevice;
    }
    if (!Shell.has(kind.tool())) {
      return Optional.of(kind.tool() + " is not installed");
    }
    try (LoopMount tried = mount(kind, 320L << 20, 512)) {
      return Files.isDirectory(tried.folder)
          ? Optional.empty()
          : Optional.of("the mount is not there");
    } catch (IllegalStateException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  private static LoopMount mount(Kind kind, long sizeBytes, int sectorSize) {
    LoopDevice device = LoopDevice.attach(sizeBytes, sectorSize);
    Path folder = newFolder();
    try {
      String path = device.device().toString();
      Shell.run(kind.tool(), "-q", kind.force, path);
      Shell.run("mount", "-t", kind.fileSystem, path, folder.toString());
      return new LoopMount(device, folder);
    } catch (IllegalStateException e) {
      LoopDevice.delete(folder);
      device.close();
      throw e;
    }
  }

  private static Path newFolder() {
    try {
      return Files.createTempDirectory("mover-test-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
