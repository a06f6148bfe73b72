package dev.mover.repository;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.transport.frame.BulkHeader;

/**
 * What one repository may use. The memory of a daemon is the sum of the pools below, whatever the
 * size of the disks that pass through it:
 *
 * <pre>
 * receiveBytes     96 MiB   payloads between socket and disk, shared out by task slot
 * serveBytes       48 MiB   slots being read for restore and verification
 * metadataBytes    16 MiB   maps being committed and served, sorts
 *   + a task      128 KiB   a window each of its map and of its parent's, while it runs
 * indexBytes       48 MiB   RocksDB: block cache and memtables
 * ----------------------
 * native          208 MiB   and a half at 4 tasks
 * heap             about 12 MiB a running commit or restore (one sort chunk of 64 Ki records and
 *                  its merge buffers), 6 MiB a session (recent ids), 8 MiB for slots between two
 *                  checkpoints
 * </pre>
 *
 * @param maxConcurrentTasks how many disks may be streamed in at once, 1 to 256, until {@link
 *     Repository#limit} says otherwise
 * @param receiveBytes three quarters are shared out by task, as credit; the rest is for the first
 *     two blocks of every session. Where there are many sessions with large blocks, some wait
 * @param serveBytes restore and verification wait for nobody's task slot, only for this
 * @param metadataBytes for map pages and sorts, beside what each task has
 * @param indexBytes for RocksDB
 */
public record RepositoryOptions(
    int maxConcurrentTasks,
    long receiveBytes,
    long serveBytes,
    long metadataBytes,
    long indexBytes) {
  private static final long MIB = 1 << 20;
  private static final long TASK_METADATA_BYTES = 128 << 10;

  /** What the task limit of an open repository may be set to. */
  static final int MOST_TASKS = 256;

  public static final RepositoryOptions DEFAULT =
      new RepositoryOptions(4, 96 * MIB, 48 * MIB, 16 * MIB, 48 * MIB);

  public RepositoryOptions {
    if (maxConcurrentTasks < 1 || maxConcurrentTasks > MOST_TASKS) {
      throw new InputException(
          ErrorCode.BAD_CONFIG,
          "maxConcurrentTasks is " + maxConcurrentTasks + ", it takes 1 to " + MOST_TASKS);
    }
    long least = 2 * BulkHeader.cost(BlockSize.KIB_256) * maxConcurrentTasks;
    if (receiveBytes < least) {
      throw new InputException(
          ErrorCode.BAD_CONFIG,
          "receiveBytes is %d, %d tasks need at least %d; use fewer tasks or more memory"
              .formatted(receiveBytes, maxConcurrentTasks, least));
    }
    atLeast("serveBytes", serveBytes, 16 * MIB);
    atLeast("metadataBytes", metadataBytes, 4 * MIB);
    atLeast("indexBytes", indexBytes, 8 * MIB);
  }

  /** Metadata memory in all: leased as tasks run, and their number may be raised. */
  long allMetadataBytes() {
    return metadataBytes + MOST_TASKS * TASK_METADATA_BYTES;
  }

  public RepositoryOptions withMaxConcurrentTasks(int tasks) {
    return new RepositoryOptions(tasks, receiveBytes, serveBytes, metadataBytes, indexBytes);
  }

  private static void atLeast(String name, long bytes, long least) {
    if (bytes < least) {
      throw new InputException(
          ErrorCode.BAD_CONFIG, name + " is " + bytes + ", it takes at least " + least);
    }
  }
}
