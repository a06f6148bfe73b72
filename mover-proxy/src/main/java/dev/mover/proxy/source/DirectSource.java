package dev.mover.proxy.source;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import dev.mover.api.error.SourceException;
import dev.mover.api.linux.LinuxException;
import dev.mover.api.linux.LinuxFile;
import dev.mover.api.linux.LinuxFile.Flag;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.point.DiskSpec;
import dev.mover.api.point.Name;
import dev.mover.api.source.DiskSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Transport mode {@code direct}: a raw image file or a block device of this host, read past the
 * page cache where the file system allows it.
 *
 * <p>The size is frozen when the source is opened. Holes of a file are asked for only after the
 * file was synced, so what another process has written and not yet synced still counts as data.
 */
public final class DirectSource implements DiskSource {
  /**
   * Reads in flight. One 1 MiB read at a time already feeds two cores from a local SSD; eight keep
   * network block devices (RBD, iSCSI) with a millisecond of latency busy at 1 GB/s.
   */
  static final int DEPTH = 8;

  /** Reads a caller may queue: more blocks than any task has buffers. */
  private static final int QUEUE = 1024;

  private final LinuxFile file;
  private final DiskSpec spec;
  private final boolean device;
  private final boolean direct;
  private final Optional<ImageFormat> format;
  private final ThreadPoolExecutor readers;

  private DirectSource(
      LinuxFile file, DiskSpec spec, boolean device, boolean direct, Optional<ImageFormat> format) {
    this.file = file;
    this.spec = spec;
    this.device = device;
    this.direct = direct;
    this.format = format;
    this.readers =
        new ThreadPoolExecutor(
            DEPTH,
            DEPTH,
            1,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(QUEUE),
            Thread.ofPlatform().daemon().name("read-" + spec.name() + "-", 0).factory());
    readers.allowCoreThreadTimeOut(true);
  }

  /** As {@link #open(Name, Path, boolean)}, for what should be a raw disk. */
  public static DirectSource open(Name disk, Path path) {
    return open(disk, path, false);
  }

  /**
   * Opens an image file or block device for reading.
   *
   * @param raw its bytes are meant as they are: no warning when it looks like a format that holds a
   *     disk inside
   * @throws SourceException SOURCE_MISSING, SOURCE_UNREADABLE or SOURCE_UNSUPPORTED; nothing is
   *     left open
   */
  public static DirectSource open(Name disk, Path path, boolean raw) {
    Kind kind = kindOf(path);
    LinuxFile file = null;
    try {
      boolean direct = true;
      try {
        file = LinuxFile.open(path, Flag.READ, Flag.DIRECT);
      } catch (LinuxException e) {
        if (e.errno() != LinuxException.EINVAL) {
          throw e;
        }
        direct = false; // this file system has no direct I/O; describe() says so
        file = LinuxFile.open(path, Flag.READ);
      }
      boolean device = kind == Kind.DEVICE;
      long size = device ? file.deviceSize() : file.size();
      int sector = device ? file.deviceSectorSize() : 512;
      if (!device) {
        syncHoles(file);
      }
      return new DirectSource(
          file,
          new DiskSpec(disk, size, sector),
          device,
          direct,
          raw ? Optional.empty() : ImageFormat.of(path));
    } catch (IOException e) {
      closeAfterFailure(file);
      throw new SourceException(
          ErrorCode.SOURCE_UNREADABLE,
          "can't open " + path + " for reading: " + e.getMessage() + "; check its permissions",
          e);
    } catch (MoverException e) {
      closeAfterFailure(file);
      throw e;
    }
  }

  /** From here on a hole is a hole. */
  private static void syncHoles(LinuxFile file) throws LinuxException {
    try {
      file.sync();
    } catch (LinuxException e) {
      if (e.errno() != LinuxException.EINVAL) {
        throw e;
      }
      // A file system that nobody can write to (ISO 9660, squashfs) has nothing to sync.
    }
  }

  private static void closeAfterFailure(@Nullable LinuxFile file) {
    if (file != null) {
      file.closeQuietly();
    }
  }

  private enum Kind {
    FILE,
    DEVICE
  }

  private static Kind kindOf(Path path) {
    try {
      int type = (int) Files.getAttribute(path, "unix:mode") & 0170000;
      return switch (type) {
        case 0100000 -> Kind.FILE;
        case 0060000 -> Kind.DEVICE;
        case 0040000 ->
            throw unsupported(path, "is a directory; name a raw image file or a block device");
        default ->
            throw unsupported(
                path, "is neither a regular file nor a block device; name one of these");
      };
    } catch (NoSuchFileException e) {
      throw new SourceException(
          ErrorCode.SOURCE_MISSING, "there is no file or device " + path + "; check the path", e);
    } catch (IOException e) {
      throw new SourceException(
          ErrorCode.SOURCE_UNREADABLE,
          "can't look at " + path + ": " + e.getMessage() + "; check path and permissions",
          e);
    }
  }

  private static SourceException unsupported(Path path, String why) {
    return new SourceException(ErrorCode.SOURCE_UNSUPPORTED, path + " " + why);
  }

  @Override
  public DiskSpec spec() {
    return spec;
  }

  @Override
  public String describe() {
    return file.name()
        + (direct ? " (direct I/O)" : " (through the page cache: no direct I/O here)");
  }

  @Override
  public int depth() {
    return DEPTH;
  }

  @Override
  public long nextData(long offset) {
    if (device) {
      return offset;
    }
    try {
      long next = file.nextData(offset);
      return next < 0 ? spec.sizeBytes() : Math.min(next, spec.sizeBytes());
    } catch (LinuxException e) {
      return offset; // no hole information: read everything
    }
  }

  @Override
  public void read(long offset, int length, BlockBuffer into, ReadDone done) {
    readers.execute(() -> done.done(readNow(offset, length, into)));
  }

  /** Whatever happens, its caller is told: it waits for this read. */
  private @Nullable MoverException readNow(long offset, int length, BlockBuffer into) {
    try {
      return tryRead(offset, length, into);
    } catch (Throwable e) {
      return MoverException.of(
          ErrorCode.INTERNAL, Side.PROXY, "reading " + file.name() + " failed: " + e, e);
    }
  }

  private @Nullable MoverException tryRead(long offset, int length, BlockBuffer into) {
    try {
      // Direct reads take whole sectors; the end of an odd-sized file comes back short.
      int asked =
          direct ? Math.ceilDiv(length, BufferPool.ALIGNMENT) * BufferPool.ALIGNMENT : length;
      int got = file.read(into, asked, offset);
      if (got >= length) {
        return null;
      }
      return new SourceException(
          ErrorCode.SOURCE_SHRANK,
          "%s has %d bytes now, but had %d when the backup began; keep it from shrinking (use a snapshot) and run again"
              .formatted(file.name(), sizeNow(), spec.sizeBytes()));
    } catch (IOException e) {
      return new SourceException(
          ErrorCode.SOURCE_READ_FAILED,
          "reading %s at byte %d failed: %s; check the device"
              .formatted(file.name(), offset, e.getMessage()),
          e);
    }
  }

  private long sizeNow() throws LinuxException {
    return device ? file.deviceSize() : file.size();
  }

  @Override
  public List<String> finish() {
    return Stream.concat(formatWarning().stream(), sizeWarning().stream()).toList();
  }

  private Optional<String> formatWarning() {
    return format.map(
        f ->
            "%s is a %s image: its file was backed up as it is, not the disk in it; back that up through a block device (qemu-nbd makes one), or say --raw if the file is meant"
                .formatted(file.name(), f.label()));
  }

  private Optional<String> sizeWarning() {
    try {
      long now = sizeNow();
      return now == spec.sizeBytes()
          ? Optional.empty()
          : Optional.of(
              "%s changed its size from %d to %d bytes during the backup; the point has the first size"
                  .formatted(file.name(), spec.sizeBytes(), now));
    } catch (LinuxException e) {
      return Optional.of(
          "can't tell whether " + file.name() + " changed its size: " + e.getMessage());
    }
  }

  @Override
  public void close() {
    readers.close();
    file.closeQuietly();
  }
}
