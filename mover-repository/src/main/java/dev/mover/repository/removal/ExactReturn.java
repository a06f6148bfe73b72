package dev.mover.repository.removal;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.linux.DiskExtent;
import dev.mover.api.point.Removal;
import dev.mover.repository.extent.ExtentError;
import dev.mover.repository.extent.ExtentFiles;
import dev.mover.repository.extent.ExtentLayout;
import dev.mover.repository.extent.ExtentLayout.Found;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Exactly how much space comes back on an extent that clones: what the files that go share with
 * each other and with none that stays. Every file of the repository is asked where it lies, once
 * for each {@link #MOST_RANGES} pieces of a device that the files that go share. What is written or
 * deleted meanwhile may or may not be counted. One thread; blocks.
 */
final class ExactReturn {
  /** Memory: a node of the tree and its two numbers are 96 bytes, so 24 MiB. */
  private static final int MOST_RANGES = 256 << 10;

  /** Memory: some 300 bytes for each path. */
  private static final int MOST_FILES = 100_000;

  private final ExtentFiles files;
  private final ExtentLayout layout;
  private final Runnable checkOver;
  private final int mostRanges;
  private final Set<Path> doomed = new HashSet<>();
  private long mapped;

  /**
   * @param checkOver throws when nobody waits for the answer any more
   */
  ExactReturn(ExtentFiles files, ExtentLayout layout, Runnable checkOver) {
    this(files, layout, checkOver, MOST_RANGES);
  }

  ExactReturn(ExtentFiles files, ExtentLayout layout, Runnable checkOver, int mostRanges) {
    this.files = files;
    this.layout = layout;
    this.checkOver = checkOver;
    this.mostRanges = mostRanges;
  }

  /** A file that would go. */
  void add(Path file) {
    if (doomed.size() == MOST_FILES && !doomed.contains(file)) {
      throw new InputException(
          ErrorCode.BAD_USAGE,
          "how much space comes back can't be told exactly of more than %,d points at once; ask for one machine after the other"
              .formatted(MOST_FILES));
    }
    doomed.add(file);
  }

  /**
   * What would go where nothing can be cloned: the maps have told it.
   *
   * @throws RepositoryException REPOSITORY_READ_FAILED where they can't
   */
  void addMapped(Removal plan) {
    if (plan.atLeastBytes() < plan.atMostBytes()) {
      throw new RepositoryException(
          ErrorCode.REPOSITORY_READ_FAILED,
          "%s: how much space comes back can't be told exactly while a point can't be read or a session has what dead ones left; ask without --exact"
              .formatted(plan.machine()));
    }
    mapped += plan.atLeastBytes();
  }

  /**
   * What would come back.
   *
   * @throws RepositoryException REPOSITORY_READ_FAILED also where the file system can't say where a
   *     file lies
   */
  long bytes() {
    long alone = mapped;
    for (Path file : doomed) {
      alone += aloneIn(file);
    }
    long shared = 0;
    long from = 0;
    while (from < Long.MAX_VALUE) {
      PhysicalRanges ranges = new PhysicalRanges();
      from = share(ranges, from);
      shared += ranges.bytes();
    }
    return alone + shared;
  }

  private long aloneIn(Path file) {
    long[] bytes = new long[1];
    each(file, extent -> bytes[0] += extent.shared() ? 0 : extent.length());
    return bytes[0];
  }

  /**
   * Leaves what only files that go have, from one place of the device on, as far as memory goes.
   *
   * @return up to where; {@link Long#MAX_VALUE}: that is all
   */
  private long share(PhysicalRanges ranges, long from) {
    long[] until = {Long.MAX_VALUE};
    for (Path file : doomed) {
      each(
          file,
          extent -> {
            if (extent.shared()) {
              ranges.add(
                  Math.max(from, extent.physical()),
                  Math.min(until[0], extent.physical() + extent.length()));
            }
            while (ranges.count() > mostRanges) {
              until[0] = ranges.removeLast();
            }
          });
    }
    if (ranges.count() > 0) {
      for (Path folder : folders()) {
        for (Path file : staying(folder)) {
          each(
              file,
              extent -> ranges.remove(extent.physical(), extent.physical() + extent.length()));
        }
      }
    }
    return until[0];
  }

  private List<Path> folders() {
    try {
      return layout.machineFolders();
    } catch (IOException e) {
      throw ExtentError.reading(layout.machines().toString(), e);
    }
  }

  private List<Path> staying(Path folder) {
    try {
      List<Path> all = new ArrayList<>(ExtentLayout.healings(folder));
      ExtentLayout.files(folder).stream().map(Found::path).forEach(all::add);
      all.removeAll(doomed);
      return all;
    } catch (IOException e) {
      throw ExtentError.reading(folder.toString(), e);
    }
  }

  private interface Extents {
    void take(DiskExtent extent);
  }

  private void each(Path file, Extents extents) {
    checkOver.run();
    try {
      FileExtents.each(files, file, extent -> extents.take(plain(file, extent)));
    } catch (IOException e) {
      if (Files.exists(file)) { // else it went meanwhile
        throw ExtentError.reading(file.toString(), e);
      }
    }
  }

  private static DiskExtent plain(Path file, DiskExtent extent) {
    if (!extent.plain()) {
      throw new RepositoryException(
          ErrorCode.REPOSITORY_READ_FAILED,
          "%s: the file system doesn't say where %,d bytes at %,d lie, as it compresses them or has not written them yet; ask without --exact"
              .formatted(file, extent.length(), extent.offset()));
    }
    return extent;
  }
}
