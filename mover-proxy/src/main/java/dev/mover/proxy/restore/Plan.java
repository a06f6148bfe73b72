package dev.mover.proxy.restore;

import dev.mover.api.block.BlockSize;

/**
 * What a disk's map says is to be done.
 *
 * @param disk its place in the point
 * @param dataBlocks blocks that are not zero
 * @param dataBytes plain bytes of these
 */
record Plan(int disk, BlockSize blockSize, long sizeBytes, long dataBlocks, long dataBytes) {
  long blocks() {
    return blockSize.count(sizeBytes);
  }

  int lengthAt(long block) {
    return blockSize.lengthAt(block, sizeBytes);
  }

  /** Bytes of a run of blocks. */
  long lengthOf(long block, long count) {
    long next = block + count;
    return (next == blocks() ? sizeBytes : offset(next)) - offset(block);
  }

  long offset(long block) {
    return block * blockSize.bytes();
  }
}
