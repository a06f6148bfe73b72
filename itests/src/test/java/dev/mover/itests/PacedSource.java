package dev.mover.itests;

import dev.mover.api.error.MoverException;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.point.DiskSpec;
import dev.mover.api.point.Name;
import dev.mover.api.source.DiskSource;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A disk that reads at a given rate, one block after the other, as a slow device does. Its content
 * is a sample over and over, stamped so that no two blocks are the same.
 */
final class PacedSource implements DiskSource {
  private static final int STAMP = 4096;

  private final DiskSpec spec;
  private final byte[] sample;
  private final double nsPerByte;
  private final ExecutorService device =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("paced-source").factory());
  private long freeNs = System.nanoTime();

  /**
   * Opens a disk.
   *
   * @param bytesPerSec 0: as fast as memory
   */
  PacedSource(long sizeBytes, byte[] sample, double bytesPerSec) {
    this.spec = new DiskSpec(new Name("disk"), sizeBytes, 512);
    this.sample = sample;
    this.nsPerByte = bytesPerSec == 0 ? 0 : 1e9 / bytesPerSec;
  }

  @Override
  public DiskSpec spec() {
    return spec;
  }

  @Override
  public String describe() {
    return "a paced disk";
  }

  @Override
  public int depth() {
    return 1;
  }

  @Override
  public long nextData(long offset) {
    return offset;
  }

  @Override
  public void read(long offset, int length, BlockBuffer into, ReadDone done) {
    device.execute(() -> done.done(readNow(offset, length, into)));
  }

  private @Nullable MoverException readNow(long offset, int length, BlockBuffer into) {
    freeNs = Math.max(freeNs, System.nanoTime()) + (long) (length * nsPerByte);
    ByteBuffer bytes = into.bytes();
    for (int at = 0; at < length; at += sample.length) {
      bytes.put(at, sample, 0, Math.min(sample.length, length - at));
    }
    for (int at = 0; at + Long.BYTES <= length; at += STAMP) {
      bytes.putLong(at, offset + at);
    }
    while (freeNs - System.nanoTime() > 0) {
      LockSupport.parkNanos(this, freeNs - System.nanoTime());
    }
    return null;
  }

  @Override
  public List<String> finish() {
    return List.of();
  }

  @Override
  public void close() {
    device.close();
  }
}
