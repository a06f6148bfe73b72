package dev.mover.proxy.pipeline;

import dev.mover.api.block.BlockId;
import dev.mover.api.memory.BlockBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One block in flight, or a run of blocks that need no reading. Guarded by the session's lock,
 * except that whoever moves it (reader, worker) has its buffer to itself.
 */
final class Unit {
  /** First block. */
  final long block;

  /** 1 for a block that is read; the length of the run otherwise. */
  final long count;

  /** Plain bytes of disk this stands for. */
  final long bytes;

  /** Read buffer; null for a hole, and once it was given back. */
  @Nullable BlockBuffer plain;

  /** Set by the hash step; stays null for zeros. */
  @Nullable BlockId id;

  /** Went on to be packed and sent; its content is here no more. */
  boolean sent;

  /** Hashed (or a hole): may leave the ring when it is first. */
  boolean ready;

  private Unit(long block, long count, long bytes, @Nullable BlockBuffer plain, boolean ready) {
    this.block = block;
    this.count = count;
    this.bytes = bytes;
    this.plain = plain;
    this.ready = ready;
  }

  static Unit read(long block, int length, BlockBuffer plain) {
    return new Unit(block, 1, length, plain, false);
  }

  static Unit hole(long block, long count, long bytes) {
    return new Unit(block, count, bytes, null, true);
  }

  int length() {
    return (int) bytes;
  }

  void releasePlain() {
    BlockBuffer buffer = plain;
    plain = null;
    if (buffer != null) {
      buffer.release();
    }
  }
}
