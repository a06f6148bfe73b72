package dev.mover.repository.serve;

import dev.mover.api.linux.LinuxException;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferSet;
import dev.mover.repository.extent.ExtentError;
import dev.mover.repository.extent.ExtentFile;
import dev.mover.repository.file.Page;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Brings a part of a backup file into another at the same place: by cloning, or where that can't be
 * by copying what isn't a hole. What can't be read is left a hole. One thread; blocks.
 */
final class SlotsCopy {
  private static final long CLONE_BYTES = 1L << 30;
  private static final int COPY_BYTES = 1 << 20;

  private final ServeServices services;
  private final CheckWatch watch;
  private final ExtentFile from;
  private final ExtentFile to;

  SlotsCopy(ServeServices services, CheckWatch watch, ExtentFile from, ExtentFile to) {
    this.services = services;
    this.watch = watch;
    this.from = from;
    this.to = to;
  }

  void run(long begin, long end) {
    for (long at = begin; at < end; at += CLONE_BYTES) {
      watch.checkOver();
      long length = Math.min(CLONE_BYTES, end - at);
      try {
        to.cloneFrom(from, at, length, at);
      } catch (IOException e) {
        if (e instanceof LinuxException linux && linux.isNoSpace()) {
          throw ExtentError.writing(to.name(), length, e);
        }
        copy(at, at + length);
      }
    }
  }

  private void copy(long begin, long end) {
    try (BufferSet memory = services.slots().lease(COPY_BYTES, 1, () -> {})) {
      BlockBuffer buffer = Objects.requireNonNull(memory.tryTake(), "a fresh lease has buffers");
      try {
        long at = nextData(begin);
        while (at >= 0 && at < end) {
          watch.checkOver();
          int length = (int) Math.min(COPY_BYTES, end - at);
          services.rates().read().take(length, watch::isOver);
          if (!copy(buffer, at, length)) {
            for (long page = at; page < at + length; page += Page.BYTES) {
              copy(buffer, page, Page.BYTES);
            }
          }
          at = nextData(at + length);
        }
      } finally {
        buffer.release();
      }
    }
  }

  /** Holes stay holes; in whole pages. */
  private long nextData(long at) {
    try {
      long next = from.descriptor().nextData(at);
      return next < 0 ? next : next / Page.BYTES * Page.BYTES;
    } catch (IOException e) {
      throw ExtentError.reading(from.name(), e);
    }
  }

  /** False when it can't be read. */
  private boolean copy(BlockBuffer buffer, long at, int length) {
    ByteBuffer bytes = buffer.bytes(0, length);
    try {
      if (from.read(bytes, at) < length) {
        return false;
      }
    } catch (IOException e) {
      return false;
    }
    services.rates().write().take(length, watch::isOver);
    try {
      to.write(bytes.flip(), at);
      return true;
    } catch (IOException e) {
      throw ExtentError.writing(to.name(), length, e);
    }
  }
}
