package dev.mover.repository.removal;

import dev.mover.api.error.DataException;
import dev.mover.api.linux.DiskExtent;
import dev.mover.repository.extent.ExtentError;
import dev.mover.repository.extent.ExtentFile;
import dev.mover.repository.extent.ExtentFiles;
import dev.mover.repository.extent.ExtentLayout.Found;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
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

  /** Beyond that pieces shared by the files themselves may be counted twice: 1.5 MiB. */
  private static final int MOST_PIECES = 64 << 10;

  private final ExtentFiles files;
  private final List<Piece> shared = new ArrayList<>();
  private long atLeast;
  private long atMost;

  private record Piece(long from, long end) {}

  ExpectedReturn(ExtentFiles files) {
    this.files = files;
  }

  long atLeastBytes() {
    return atLeast;
  }

  long atMostBytes() {
    mergeShared();
    return atMost + shared.stream().mapToLong(p -> p.end() - p.from()).sum();
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

  private interface Extents {
    void take(DiskExtent extent);
  }

  private void eachExtent(Found file, Extents extents) {
    try (ExtentFile open = files.open(file.path())) {
      List<DiskExtent> some = open.descriptor().extents(0);
      while (!some.isEmpty()) {
        some.forEach(extents::take);
        some = open.descriptor().extents(some.getLast().offset() + some.getLast().length());
      }
    } catch (IOException e) {
      LOG.info("{}: where it lies can't be told: {}", file.path(), e.getMessage());
      extents.take(new DiskExtent(0, 0, sizeOf(file), false, false));
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
    if (shared.size() == MOST_PIECES) {
      mergeShared();
      if (shared.size() > MOST_PIECES / 2) {
        atMost += shared.stream().mapToLong(p -> p.end() - p.from()).sum();
        shared.clear();
      }
    }
    shared.add(new Piece(from, from + length));
  }

  private void mergeShared() {
    shared.sort((a, b) -> Long.compare(a.from(), b.from()));
    List<Piece> merged = new ArrayList<>();
    for (Piece piece : shared) {
      if (!merged.isEmpty() && piece.from() <= merged.getLast().end()) {
        Piece last = merged.removeLast();
        merged.add(new Piece(last.from(), Math.max(last.end(), piece.end())));
      } else {
        merged.add(piece);
      }
    }
    shared.clear();
    shared.addAll(merged);
  }
}
