package dev.mover.repository.extent;

import dev.mover.api.linux.LinuxFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An open file of a repository. Positional, from any number of threads; every method may block.
 * Where the extent does direct I/O, memory, offset and remaining bytes of backup files must be
 * multiples of 4 KiB.
 */
public interface ExtentFile extends AutoCloseable {
  String name();

  long size() throws IOException;

  /** Reads the buffer's remaining bytes, fewer only at the end of the file; moves its position. */
  int read(ByteBuffer into, long offset) throws IOException;

  /** Writes the buffer's remaining bytes, all of them; moves its position. */
  void write(ByteBuffer from, long offset) throws IOException;

  /** Shares blocks with {@code source}; see {@link LinuxFile#cloneRange}. */
  void cloneFrom(ExtentFile source, long sourceOffset, long length, long offset) throws IOException;

  /** Frees the range, which reads as zeros then. The size stays. */
  void punch(long offset, long length) throws IOException;

  /** Makes content and size durable. A failed sync is final: the file is not used any further. */
  void sync() throws IOException;

  /** The descriptor a clone reads from. */
  LinuxFile descriptor();

  /** Closes quietly: what matters was synced or is abandoned. */
  @Override
  void close();
}
