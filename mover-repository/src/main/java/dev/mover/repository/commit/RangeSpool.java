package dev.mover.repository.commit;

import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.memory.BufferSet;
import dev.mover.repository.extent.ExtentError;
import dev.mover.repository.extent.ExtentFile;
import dev.mover.repository.extent.ExtentFiles;
import dev.mover.repository.file.PointWriter.Range;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Ranges on their way to the range table: written to scratch as they come, then read back in the
 * same order; 64 KiB of them in memory. Used by one thread; blocks.
 */
final class RangeSpool implements AutoCloseable {
  private static final int RANGE_BYTES = 16;
  private static final int WINDOW = 4096;

  private final ExtentFile scratch;
  private final BufferSet memory;
  private final BlockBuffer buffer;
  private long count;
  private long windowFirst;
  private boolean reading;

  RangeSpool(ExtentFiles files, Path path, BufferPool pool) {
    try {
      this.scratch = files.scratch(path);
    } catch (IOException e) {
      throw ExtentError.writing(path.toString(), 0, e);
    }
    this.memory = pool.lease(WINDOW * RANGE_BYTES, 1, () -> {});
    this.buffer = Objects.requireNonNull(memory.tryTake(), "a fresh lease has buffers");
  }

  long count() {
    return count;
  }

  void add(long offset, long length) {
    int at = (int) (count - windowFirst);
    buffer.bytes(at * RANGE_BYTES, RANGE_BYTES).putLong(offset).putLong(length);
    count++;
    if (count - windowFirst == WINDOW) {
      flush();
    }
  }

  /** Range {@code index}; all must have been added, and indexes asked for in ascending order. */
  Range at(long index) {
    if (!reading) {
      flush();
      reading = true;
      windowFirst = -WINDOW;
    }
    if (index >= windowFirst + WINDOW) {
      load(index);
    }
    ByteBuffer range = buffer.bytes((int) (index - windowFirst) * RANGE_BYTES, RANGE_BYTES);
    return new Range(range.getLong(), range.getLong());
  }

  private void flush() {
    ByteBuffer out = buffer.bytes(0, (int) (count - windowFirst) * RANGE_BYTES);
    try {
      scratch.write(out, windowFirst * RANGE_BYTES);
    } catch (IOException e) {
      throw ExtentError.writing(scratch.name(), out.capacity(), e);
    }
    windowFirst = count;
  }

  private void load(long first) {
    windowFirst = first;
    int ranges = (int) Math.min(WINDOW, count - first);
    try {
      scratch.read(buffer.bytes(0, ranges * RANGE_BYTES), first * RANGE_BYTES);
    } catch (IOException e) {
      throw ExtentError.reading(scratch.name(), e);
    }
  }

  @Override
  public void close() {
    buffer.release();
    memory.close();
    scratch.close();
  }
}
