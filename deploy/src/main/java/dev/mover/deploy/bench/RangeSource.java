package dev.mover.deploy.bench;

import dev.mover.api.block.BlockSize;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.point.DiskSpec;
import dev.mover.api.point.Name;
import dev.mover.api.source.DiskSource;
import dev.mover.proxy.source.DirectSource;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A range of an image as a disk of its own, so that one image makes several disks that have nothing
 * in common and together hold exactly its blocks. Threads and ownership as of the whole's source.
 */
final class RangeSource implements DiskSource {
  private final DiskSource whole;
  private final DiskSpec spec;
  private final long startBytes;

  private RangeSource(DiskSource whole, DiskSpec spec, long startBytes) {
    this.whole = whole;
    this.spec = spec;
    this.startBytes = startBytes;
  }

  /** The image as {@code count} disks, cut at multiples of the block size. */
  static List<DiskSource> cut(Path image, int count) {
    List<DiskSource> disks = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        Name name = new Name("range-" + i);
        DiskSource whole = DirectSource.open(name, image);
        disks.add(whole);
        disks.set(i, range(whole, name, i, count));
      }
      return disks;
    } catch (RuntimeException e) {
      disks.forEach(DiskSource::close);
      throw e;
    }
  }

  private static RangeSource range(DiskSource whole, Name name, int index, int count) {
    DiskSpec all = whole.spec();
    long blocks = BlockSize.DEFAULT.count(all.sizeBytes());
    long start = blocks * index / count * BlockSize.DEFAULT.bytes();
    long end = Math.min(blocks * (index + 1) / count * BlockSize.DEFAULT.bytes(), all.sizeBytes());
    return new RangeSource(whole, new DiskSpec(name, end - start, all.sectorSize()), start);
  }

  @Override
  public DiskSpec spec() {
    return spec;
  }

  @Override
  public String describe() {
    return whole.describe() + " from byte " + startBytes;
  }

  @Override
  public int depth() {
    return whole.depth();
  }

  @Override
  public long nextData(long offset) {
    return Math.min(whole.nextData(startBytes + offset) - startBytes, spec.sizeBytes());
  }

  @Override
  public void read(long offset, int length, BlockBuffer into, ReadDone done) {
    whole.read(startBytes + offset, length, into, done);
  }

  @Override
  public List<String> finish() {
    return whole.finish();
  }

  @Override
  public void close() {
    whole.close();
  }
}
