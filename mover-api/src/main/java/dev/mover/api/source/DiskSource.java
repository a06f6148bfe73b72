package dev.mover.api.source;

import dev.mover.api.error.MoverException;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.point.DiskSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One disk to read. Reads are asynchronous: the source owns its queue depth and its threads, the
 * caller owns the buffers and so the number of reads in flight (that is the demand). Cancel is a
 * flag of the caller, never an interrupt.
 */
public interface DiskSource extends AutoCloseable {
  /** Name, size and sector size, frozen when the source was opened. */
  DiskSpec spec();

  /** For people: path and how it is read, for example {@code /dev/vdb (direct, 4 reads deep)}. */
  String describe();

  /** How many reads the source likes to have in flight. */
  int depth();

  /**
   * First offset at or after {@code offset} that may hold anything but zeros; the disk's size when
   * there is none. Only saves reading: what was not synced when the source was opened counts as
   * data. May block on file metadata; not for event loops.
   */
  long nextData(long offset);

  /**
   * Reads {@code length} bytes at {@code offset} into the start of {@code into}. Never blocks for
   * long; {@code done} is called exactly once, on a thread of the source. The buffer stays the
   * caller's and must not be touched until then. At most {@link #depth} reads run at once, further
   * ones wait in a queue bounded by the caller's buffers.
   */
  void read(long offset, int length, BlockBuffer into, ReadDone done);

  /** Warnings about the source to show with the result, asked once after the last read. */
  List<String> finish();

  /** Waits for running reads, then closes the descriptor. */
  @Override
  void close();

  /** End of a read: {@code error} is null when every byte was read. */
  @FunctionalInterface
  interface ReadDone {
    void done(@Nullable MoverException error);
  }
}
