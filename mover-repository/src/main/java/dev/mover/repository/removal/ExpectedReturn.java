package dev.mover.repository.removal;

import dev.mover.api.error.DataException;
import dev.mover.api.linux.DiskExtent;
import dev.mover.repository.extent.ExtentError;
import dev.mover.repository.extent.ExtentFile;
import dev.mover.repository.extent.ExtentFiles;
import dev.mover.repository.extent.ExtentLayout.Found;
import java.io.IOException;
import java.nio.file.Files;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How much space comes back when files are deleted: at least what the file system says nobody else
 * shares, at most all that the files have on disk, each piece that several of them share counted
 * once. Where the extent can't clone, the maps say which of it is still used, and both are the
 * same. One thread; blocks.
 */
final class ExpectedReturn {
  private static final Logger LOG = LoggerFactory.getLogger(ExpectedReturn.class);

  /** Beyond that pieces shared by the files themselves may be counted twice: 6 MiB. */
  private static final int MOST_PIECES = 64 << 10;

  private final ExtentFiles files;
  private final PhysicalRanges shared = new PhysicalRanges();
  private long atLeast;
  private long atMost;

  ExpectedReturn(ExtentFiles files) {
    this.files = files;
  }

  long atLeastBytes() {
    return atLeast;
  }

  long atMostBytes() {
    return atMost + shared.bytes();
  }

  /** A file that goes, on an extent that clones. */
  void addWhole(Found file) {
    eachExtent(
        file,
        extent -> {
          if (extent.shared() && extent.plain()) {
            share(extent.physical(), extent.length());
          } else {
            atLeast += extent.plain() ? extent.length() : 0;
            atMost += extent.length();
          }
        });
  }

  /** A file that goes unless somebody has it yet. */
  void addPerhaps(Found file) {
    eachExtent(file, extent -> atMost += extent.length());
  }

  /** A file that goes, or went, but for what points use of it. */
  void addAllButUsed(Found file, SlotUsers users) {
    long[] onDisk = new long[1];
    boolean[] plain = {true};
    eachExtent(
        file,
        extent -> {
          onDisk[0] += extent.length();
          plain[0] &= extent.plain();
        });
    long back = onDisk[0];
    boolean known = plain[0] && users.unreadableUser(file) == 0;
    if (known && users.isUsed(file)) {
      try {
        back = Math.max(0, onDisk[0] - usedBytes(file, users));
      } catch (DataException e) {
        known = false;
      }
    }
    atLeast += known ? back : 0;
    atMost += back;
  }

  private long usedBytes(Found file, SlotUsers users) {
    try (ExtentFile open = files.open(file.path())) {
      long size = open.size();
      long[] unused = new long[1];
      users.unused(file, size, (_, length) -> unused[0] += length);
      return size - unused[0];
    } catch (IOException e) {
      throw ExtentError.reading(file.path().toString(), e);
    }
  }

  private void eachExtent(Found file, Consumer<DiskExtent> extents) {
    try {
      FileExtents.each(files, file.path(), extents);
    } catch (IOException e) {
      LOG.info("{}: where it lies can't be told: {}", file.path(), e.getMessage());
      extents.accept(new DiskExtent(0, 0, sizeOf(file), false, false));
    }
  }

  private static long sizeOf(Found file) {
    try {
      return Files.size(file.path());
    } catch (IOException e) {
      return 0;
    }
  }

  private void share(long from, long length) {
    shared.add(from, from + length);
    if (shared.count() == MOST_PIECES) {
      atMost += shared.bytes();
      shared.clear();
    }
  }
}
