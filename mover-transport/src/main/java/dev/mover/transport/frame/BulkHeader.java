package dev.mover.transport.frame;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.block.Codec;
import dev.mover.api.memory.BufferPool;

/**
 * What precedes the payload of a bulk frame: {@code BLOCK} on its way to a repository, {@code DATA}
 * on its way back. The payload follows at once and never passes through a Flux.
 *
 * @param kind which of the two
 * @param block index in the disk
 * @param id of the plain content
 * @param plainLength 1 to {@link BlockSize#MAX_BYTES}
 * @param payloadLength 1 to {@code plainLength}: what does not shrink travels {@link Codec#RAW}
 * @param payloadCrc CRC32C of the payload, made by the sender's worker, checked by the receiver
 */
public record BulkHeader(
    Kind kind,
    int disk,
    long block,
    BlockId id,
    Codec codec,
    int plainLength,
    int payloadLength,
    int payloadCrc) {

  /** Room for a slot header beside a payload, rounded to a page: see the backup file format. */
  private static final int SLOT_OVERHEAD = BufferPool.ALIGNMENT;

  public enum Kind {
    BLOCK,
    DATA
  }

  /** Credit one bulk frame costs: the receiver's whole slot, whatever the payload's length. */
  public static long cost(BlockSize blockSize) {
    return blockSize.bytes() + (long) SLOT_OVERHEAD;
  }
}
