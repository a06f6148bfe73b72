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
 * <p>A task's share is the pool divided by the task slots, so that a granted slot never waits for
 * memory, and never more than {@link #MOST_READ_BYTES}: past that more reads in flight gain nothing
 * on a local link (measured: 8 to 96 blocks read ahead gave the same rate). A restore takes the
 * same two shares: packed blocks from the link, plain blocks for the target.
 *
 * <p>Not proportional to the disk: a block in flight adds about 200 bytes of heap; ids and maps are
 * on disk.
 */
public final class ProxyMemory implements AutoCloseable {
  static final long READ_POOL_BYTES = 96L << 20;
  static final long SEND_POOL_BYTES = 64L << 20;
  static final long MOST_READ_BYTES = 32L << 20;

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

  /** Read buffers of one task: at least two, so that one is read while another is hashed. */
  public int readBuffers(BlockSize blockSize) {
    return share(READ_POOL_BYTES, blockSize.bytes());
  }

  /** Send buffers of one task: at least two, so that one is packed while another is sent. */
  public int sendBuffers(BlockSize blockSize) {
    return share(SEND_POOL_BYTES, blockSize.bytes());
  }

  private int share(long poolBytes, int bufferBytes) {
    long bytes = Math.min(poolBytes / slots, MOST_READ_BYTES);
    return (int) Math.max(2, bytes / bufferBytes);
  }

  @Override
  public void close() {
    read.close();
    send.close();
  }
}
