package dev.mover.api.block;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;

/**
 * The digest of a whole disk: a Merkle tree over its block ids, fed in block order.
 *
 * <pre>
 * leaf(data)  = SHA-256(0x00 ‖ block id)
 * leaf(zero)  = SHA-256(0x01)
 * leaf(none)  = SHA-256(0x02)                  pads the last level to a power of two
 * node        = SHA-256(0x10 ‖ left ‖ right)
 * digest      = SHA-256(0x20 ‖ "mover-disk-1" ‖ size u64 ‖ block size u32 ‖ top node)
 * </pre>
 *
 * <p>Subtrees that hold only zeros (or only padding) have one value a level, so a run of any length
 * costs O(log length) and a disk with 2^43 blocks in one hole costs 43 hashes. The builder holds
 * one node a level: at most 64 × 32 bytes. Not thread-safe.
 */
public final class DiskDigest {
  private static final int LEVELS = 64;

  private final MessageDigest sha = sha256();
  private final List<byte[]> zeroTree = new ArrayList<>();
  private final List<byte[]> padTree = new ArrayList<>();
  private final byte[][] pending = new byte[LEVELS][];
  private final long sizeBytes;
  private final BlockSize blockSize;
  private long count;

  public DiskDigest(long sizeBytes, BlockSize blockSize) {
    this.sizeBytes = sizeBytes;
    this.blockSize = blockSize;
    zeroTree.add(hash(0x01));
    padTree.add(hash(0x02));
  }

  /** Blocks fed so far; the next one fed has this index. */
  public long count() {
    return count;
  }

  public void addBlock(BlockId id) {
    sha.update((byte) 0x00);
    push(0, sha.digest(id.bytes()));
  }

  public void addZeros(long blocks) {
    addRun(zeroTree, blocks);
  }

  /** The digest of what was fed; the builder must then have every block of the disk. */
  public BlockId finish() {
    if (count != blockSize.count(sizeBytes)) {
      throw new IllegalStateException(
          "digest has " + count + " of " + blockSize.count(sizeBytes) + " blocks");
    }
    if (count == 0) {
      addRun(padTree, 1);
    }
    // Pad to a power of two: complete the lowest open level until one node is left.
    while (Long.bitCount(count) != 1) {
      addRun(padTree, Long.lowestOneBit(count));
    }
    byte[] top = pending[Long.numberOfTrailingZeros(count)];
    sha.update((byte) 0x20);
    sha.update("mover-disk-1".getBytes(StandardCharsets.US_ASCII));
    sha.update(bigEndian(sizeBytes, 8));
    sha.update(bigEndian(blockSize.bytes(), 4));
    return BlockId.of(sha.digest(top));
  }

  private void addRun(List<byte[]> tree, long blocks) {
    long left = blocks;
    while (left > 0) {
      // The largest aligned subtree that starts here and fits the run.
      int level =
          Math.min(
              count == 0 ? LEVELS - 2 : Long.numberOfTrailingZeros(count),
              63 - Long.numberOfLeadingZeros(left));
      push(level, uniform(tree, level));
      left -= 1L << level;
    }
  }

  /** Adds a finished node at {@code level} and joins it with every finished left neighbour. */
  private void push(int level, byte[] node) {
    long before = count;
    count += 1L << level;
    byte[] joined = node;
    int at = level;
    while (((before >>> at) & 1) == 1) {
      joined = join(pending[at], joined);
      at++;
    }
    pending[at] = joined;
  }

  private byte[] uniform(List<byte[]> tree, int level) {
    while (tree.size() <= level) {
      byte[] below = tree.getLast();
      tree.add(join(below, below));
    }
    return tree.get(level);
  }

  private byte[] join(byte[] left, byte[] right) {
    sha.update((byte) 0x10);
    sha.update(left);
    return sha.digest(right);
  }

  private byte[] hash(int tag) {
    return sha.digest(new byte[] {(byte) tag});
  }

  private static byte[] bigEndian(long value, int bytes) {
    byte[] out = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      out[i] = (byte) (value >>> (8 * (bytes - 1 - i)));
    }
    return out;
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }
}
