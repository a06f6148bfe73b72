package dev.mover.proxy;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.Side;
import dev.mover.api.memory.BufferPool;

/**
 * All block memory a proxy may hold, as a sum:
 *
 * <pre>
 * holder                                   bytes
 * read: plain blocks, from the read to the answer or the end of packing     96 MiB
 * send: packed blocks, from packing to the socket                           64 MiB
 * ------------------------------------------------------------------------------
 * native block memory of a proxy                                           160 MiB
 * </pre>
 *
 * <p>A task slot stands for the pools divided by the slots, and whoever leases memory here has its
 * slots first: a task, a restore, and blocks that are sent again. A task needs two blocks of each
 * pool at least; where a slot's part is less, it takes several slots ({@link #slotsPerTask}), and
 * fewer tasks run at once: of 64 slots, 64 tasks with blocks of 512 KiB, 32 with 1 MiB, 8 with 4
 * MiB.
 *
 * <p>A task's share is never more than {@link #MOST_READ_BYTES}: past that more reads in flight
 * gain nothing on a local link (measured: 8 to 96 blocks read ahead gave the same rate). A restore
 * takes the same two shares: packed blocks from the link, plain blocks for the target.
 *
 * <p>Not proportional to the disk: a block in flight adds about 200 bytes of heap; ids and maps are
 * on disk.
 */
public final class ProxyMemory implements AutoCloseable {
  static final long READ_POOL_BYTES = 96L << 20;
  static final long SEND_POOL_BYTES = 64L << 20;
  static final long MOST_READ_BYTES = 32L << 20;

  /** One is read, or sent, while another is hashed, or packed. */
  private static final int LEAST_BUFFERS = 2;

  private final BufferPool read = new BufferPool("blocks read ahead", Side.PROXY, READ_POOL_BYTES);
  private final BufferPool send = new BufferPool("blocks to send", Side.PROXY, SEND_POOL_BYTES);
  private final int slots;

  public ProxyMemory(int slots) {
    this.slots = slots;
  }

  public BufferPool read() {
    return read;
  }

  public BufferPool send() {
    return send;
  }

  /** Slots whose memory together is enough for one task; 1 to all slots. */
  public int slotsPerTask(BlockSize blockSize) {
    long leastBytes = (long) LEAST_BUFFERS * blockSize.bytes();
    long slotBytes = Math.min(READ_POOL_BYTES, SEND_POOL_BYTES) / slots;
    return (int) Math.ceilDiv(leastBytes, slotBytes);
  }

  /** Read buffers of one task: at least two. */
  public int readBuffers(BlockSize blockSize) {
    return share(READ_POOL_BYTES, blockSize);
  }

  /** Send buffers of one task: at least two. */
  public int sendBuffers(BlockSize blockSize) {
    return share(SEND_POOL_BYTES, blockSize);
  }

  private int share(long poolBytes, BlockSize blockSize) {
    long bytes = Math.min(poolBytes / slots * slotsPerTask(blockSize), MOST_READ_BYTES);
    return (int) (bytes / blockSize.bytes());
  }

  @Override
  public void close() {
    read.close();
    send.close();
  }
}
