package dev.mover.proxy.restore;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.TargetException;
import dev.mover.api.linux.LinuxException;
import dev.mover.api.linux.LinuxFile;
import dev.mover.api.linux.LinuxFile.Flag;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferPool;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Where a disk is restored to: a file, which is made sparse, or a block device. Every check comes
 * before the first write. Writes from any number of threads at once; all block.
 */
final class RestoreTarget implements AutoCloseable {
  private static final int FILE_TYPE = 0170000;
  private static final int REGULAR = 0100000;
  private static final int BLOCK_DEVICE = 0060000;

  /** How backup files begin, see docs/backup-file.md. */
  private static final byte[] BACKUP_FILE = "MVRBACK1".getBytes(StandardCharsets.US_ASCII);

  private final LinuxFile file;
  private final Path path;

  /** {@link #path}, or its unfinished name while a new file is not whole. */
  private final Path work;

  private final boolean device;
  private final boolean created;
  private final int alignment;
  private final long diskBytes;
  private boolean finished;

  private RestoreTarget(
      LinuxFile file,
      Path path,
      Path work,
      boolean device,
      boolean created,
      int alignment,
      long diskBytes) {
    this.file = file;
    this.path = path;
    this.work = work;
    this.device = device;
    this.created = created;
    this.alignment = alignment;
    this.diskBytes = diskBytes;
  }

  /**
   * Opens and checks a target; nothing is written to it yet.
   *
   * @param dataBytes bytes that will be written; a file system with less room is refused
   * @throws TargetException TARGET_TOO_SMALL, TARGET_BUSY, TARGET_EXISTS or TARGET_WRITE_FAILED
   */
  static RestoreTarget open(Path path, long diskBytes, long dataBytes, boolean overwrite) {
    boolean created = false;
    Path work = path;
    LinuxFile file = null;
    try {
      boolean device = isDevice(path);
      boolean fresh = !device && Files.notExists(path);
      work = fresh ? unfinished(path) : path;
      file = device ? openDevice(path) : openFile(work, fresh);
      if (!file.tryLock(true)) {
        throw new TargetException(
            ErrorCode.TARGET_BUSY,
            path + " is in use by another process (a running machine?); stop it first");
      }
      created = fresh;
      if (device) {
        checkDevice(file, path, diskBytes);
      } else {
        checkFile(file, work, dataBytes, overwrite || fresh);
      }
      int alignment = device ? file.deviceSectorSize() : BufferPool.ALIGNMENT;
      return new RestoreTarget(file, path, work, device, created, alignment, diskBytes);
    } catch (IOException e) {
      undo(file, work, created);
      throw openFailed(path, e);
    } catch (RuntimeException e) {
      undo(file, work, created);
      throw e;
    }
  }

  /** What a new file is called until it is whole: nobody takes it for a disk after a kill. */
  private static Path unfinished(Path path) {
    return path.resolveSibling(path.getFileName() + ".unfinished");
  }

  /** False for a regular file and for a name that is free. */
  private static boolean isDevice(Path path) throws IOException {
    int mode;
    try {
      mode = (int) Files.getAttribute(path, "unix:mode") & FILE_TYPE;
    } catch (NoSuchFileException e) {
      return false;
    }
    return switch (mode) {
      case REGULAR -> false;
      case BLOCK_DEVICE -> true;
      default ->
          throw new TargetException(
              ErrorCode.TARGET_EXISTS,
              path
                  + " is a directory or something else that holds no disk; name a file or a block"
                  + " device");
    };
  }

  private static LinuxFile openDevice(Path path) throws LinuxException {
    return LinuxFile.open(path, Flag.WRITE, Flag.DIRECT, Flag.EXCLUSIVE);
  }

  /** An unfinished file that a killed restore left behind is taken over. */
  private static LinuxFile openFile(Path path, boolean fresh) throws LinuxException {
    Flag[] create = fresh ? new Flag[] {Flag.WRITE, Flag.CREATE} : new Flag[] {Flag.WRITE};
    Flag[] direct = Arrays.copyOf(create, create.length + 1);
    direct[create.length] = Flag.DIRECT;
    try {
      return LinuxFile.open(path, direct);
    } catch (LinuxException e) {
      if (e.errno() != LinuxException.EINVAL) {
        throw e;
      }
      return LinuxFile.open(path, create); // no direct I/O on this file system
    }
  }

  private static void checkDevice(LinuxFile file, Path path, long diskBytes) throws LinuxException {
    long size = file.deviceSize();
    if (size < diskBytes) {
      throw new TargetException(
          ErrorCode.TARGET_TOO_SMALL,
          "%s has %d bytes, the disk needs %d; nothing was written"
              .formatted(path, size, diskBytes));
    }
  }

  private static void checkFile(LinuxFile file, Path path, long dataBytes, boolean overwrite)
      throws IOException {
    long old = file.size();
    if (old > 0 && !overwrite) {
      throw new TargetException(
          ErrorCode.TARGET_EXISTS,
          path + " exists and is not empty; choose another name, or allow it with --overwrite");
    }
    if (old > 0 && isBackupFile(path)) {
      throw new TargetException(
          ErrorCode.TARGET_EXISTS,
          path
              + " is a backup file of a repository, writing over it would lose a restore point;"
              + " choose another name");
    }
    long room = Files.getFileStore(path).getUsableSpace() + old;
    if (room < dataBytes) {
      throw new TargetException(
          ErrorCode.TARGET_TOO_SMALL,
          "the file system of %s has room for %d bytes, the disk's data needs %d; nothing was written"
              .formatted(path, room, dataBytes));
    }
  }

  /** Told by its first bytes: no disk begins like that. */
  private static boolean isBackupFile(Path path) throws IOException {
    try (InputStream in = Files.newInputStream(path)) {
      return Arrays.equals(in.readNBytes(BACKUP_FILE.length), BACKUP_FILE);
    }
  }

  private static void undo(@Nullable LinuxFile file, Path path, boolean created) {
    if (file != null) {
      file.closeQuietly();
    }
    if (created) {
      deleteFile(path);
    }
  }

  private static void deleteFile(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      // The failure that brought us here is the one to tell; an empty file is all that is left.
    }
  }

  private static TargetException openFailed(Path path, IOException e) {
    if (e instanceof LinuxException l && l.errno() == LinuxException.EBUSY) {
      return new TargetException(
          ErrorCode.TARGET_BUSY, path + " is mounted or in use; unmount it first", e);
    }
    return new TargetException(
        ErrorCode.TARGET_WRITE_FAILED,
        "can't open " + path + " for writing: " + e.getMessage() + "; check path and permissions",
        e);
  }

  /** Whether zero ranges must be written; a file is emptied first and reads as zeros by itself. */
  boolean keepsOldContent() {
    return device;
  }

  /** The first write: gives a file its size, all zeros. A device keeps its content. */
  void begin() {
    if (device) {
      return;
    }
    try {
      file.truncate(0);
      file.truncate(diskBytes);
    } catch (LinuxException e) {
      throw failed(0, e);
    }
  }

  /** Writes {@code length} plain bytes; the buffer's rest up to the alignment is overwritten. */
  void write(long offset, BlockBuffer plain, int length) {
    // Only the last block of an odd-sized disk is not aligned: it is padded with zeros here; a file
    // is cut to its size at the end, a device has the rest of its last sector zeroed.
    int padded = Math.ceilDiv(length, alignment) * alignment;
    plain.segment().asSlice(length, padded - length).fill((byte) 0);
    try {
      file.write(plain, padded, offset);
    } catch (LinuxException e) {
      throw failed(offset, e);
    }
  }

  /** Makes a range of a device read as zeros. */
  void zero(long offset, long length) {
    try {
      file.zeroDevice(offset, Math.ceilDiv(length, alignment) * (long) alignment);
    } catch (LinuxException e) {
      throw failed(offset, e);
    }
  }

  /** Makes everything durable; the disk is whole then. */
  void finish() {
    try {
      if (!device) {
        file.truncate(diskBytes);
      }
      file.sync();
      if (created) {
        LinuxFile.renameWithoutReplacing(work, path);
        Path folder = path.toAbsolutePath().getParent();
        LinuxFile.syncDirectory(folder == null ? path.toAbsolutePath() : folder);
      }
      finished = true;
    } catch (LinuxException e) {
      throw failed(diskBytes, e);
    }
  }

  private TargetException failed(long offset, LinuxException e) {
    return new TargetException(
        ErrorCode.TARGET_WRITE_FAILED,
        "writing %s at byte %d failed: %s; %s"
            .formatted(
                path,
                offset,
                e.getMessage(),
                created ? "the unfinished file is removed" : "it now holds an incomplete disk"),
        e);
  }

  /**
   * Closes; a file this restore created and did not finish is removed, so nobody takes it for
   * whole.
   */
  @Override
  public void close() {
    file.closeQuietly();
    if (created && !finished) {
      deleteFile(work);
    }
  }
}
