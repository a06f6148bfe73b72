package dev.mover.api.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.point.DiskSpec;
import dev.mover.testkit.Seeds;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

class DiskDigestTest {
  private static final BlockSize SIZE = BlockSize.KIB_256;

  @Test
  void equalsTheWholeTreeWhateverTheRuns() {
    Seeds.check(
        300,
        random -> {
          List<Optional<BlockId>> blocks = randomBlocks(random);
          long lastBytes = 1L + random.nextInt(SIZE.bytes());
          long sizeBytes = blocks.isEmpty() ? 0 : (blocks.size() - 1L) * SIZE.bytes() + lastBytes;
          DiskDigest digest = new DiskDigest(sizeBytes, SIZE);
          feed(digest, blocks, random);
          assertThat(digest.finish()).isEqualTo(wholeTree(blocks, sizeBytes));
        });
  }

  @Test
  void neverChanges() {
    // Stored in every backup file: a change here would call every old point damaged.
    DiskDigest digest = new DiskDigest(5L * (1 << 20) - 7, BlockSize.MIB_1);
    digest.addBlock(new BlockId(1, 2, 3, 4));
    digest.addZeros(3);
    digest.addBlock(new BlockId(-1, -2, -3, -4));
    assertThat(digest.finish())
        .hasToString("fc6daf67b9ea6b419d0fec7e09a1896da32437ef6a9f9ad43f292bf08313c78f");
    assertThat(new DiskDigest(0, BlockSize.MIB_1).finish())
        .hasToString("fb7ebbed1e7976b98e9da969d88eed21232169733afab7dd4e9ee03ec284f314");
  }

  @Test
  void takesAHoleOfTheLargestDiskAtOnce() {
    Assertions.assertTimeoutPreemptively(
        Duration.ofSeconds(1),
        () -> {
          DiskDigest digest = new DiskDigest(DiskSpec.MAX_BYTES, SIZE);
          long blocks = SIZE.count(DiskSpec.MAX_BYTES);
          digest.addZeros(blocks - 2);
          digest.addBlock(new BlockId(1, 2, 3, 4));
          digest.addZeros(1);
          assertThat(digest.count()).isEqualTo(blocks);
          assertThat(digest.finish()).isNotNull();
        });
  }

  @Test
  void cutsRunsAnyWayWithTheSameResult() {
    Seeds.check(
        50,
        random -> {
          long blocks = random.nextLong(1, 1L << 43);
          DiskDigest one = new DiskDigest(blocks * SIZE.bytes(), SIZE);
          DiskDigest many = new DiskDigest(blocks * SIZE.bytes(), SIZE);
          one.addZeros(blocks);
          for (long left = blocks; left > 0; ) {
            long run = Math.min(left, 1 + random.nextLong(1L << random.nextInt(1, 43)));
            many.addZeros(run);
            left -= run;
          }
          assertThat(many.finish()).isEqualTo(one.finish());
        });
  }

  @Test
  void tellsDisksOfAnotherSizeOrderOrBlockSizeApart() {
    BlockId a = new BlockId(1, 1, 1, 1);
    BlockId b = new BlockId(2, 2, 2, 2);
    int bytes = BlockSize.MIB_1.bytes();
    assertThat(
            List.of(
                digest(2L * bytes, a, b),
                digest(2L * bytes, b, a),
                digest(2L * bytes - 1, a, b),
                digest(bytes, a)))
        .doesNotHaveDuplicates();
    DiskDigest small = new DiskDigest(0, BlockSize.KIB_256);
    assertThat(small.finish()).isNotEqualTo(digest(0));
  }

  @Test
  void refusesToFinishWithoutEveryBlock() {
    DiskDigest digest = new DiskDigest(3L * SIZE.bytes(), SIZE);
    digest.addZeros(2);
    assertThatThrownBy(digest::finish)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("2 of 3");
  }

  private static BlockId digest(long sizeBytes, BlockId... ids) {
    DiskDigest digest = new DiskDigest(sizeBytes, BlockSize.MIB_1);
    for (BlockId id : ids) {
      digest.addBlock(id);
    }
    return digest.finish();
  }

  private static List<Optional<BlockId>> randomBlocks(RandomGenerator random) {
    List<Optional<BlockId>> blocks = new ArrayList<>();
    int count = random.nextInt(1 << random.nextInt(1, 9));
    boolean zero = random.nextBoolean();
    for (int i = 0; i < count; i++) {
      zero = random.nextInt(4) == 0 ? !zero : zero;
      blocks.add(
          zero
              ? Optional.empty()
              : Optional.of(
                  new BlockId(
                      random.nextLong(), random.nextLong(), random.nextLong(), random.nextLong())));
    }
    return blocks;
  }

  private static void feed(
      DiskDigest digest, List<Optional<BlockId>> blocks, RandomGenerator random) {
    long zeros = 0;
    for (Optional<BlockId> block : blocks) {
      if (block.isEmpty()) {
        zeros++;
        continue;
      }
      addInPieces(digest, zeros, random);
      zeros = 0;
      digest.addBlock(block.get());
    }
    addInPieces(digest, zeros, random);
  }

  private static void addInPieces(DiskDigest digest, long zeros, RandomGenerator random) {
    for (long left = zeros; left > 0; ) {
      long piece = 1 + random.nextLong(left);
      digest.addZeros(piece);
      left -= piece;
    }
  }

  /** The definition in the Javadoc, done the long way: every leaf, every level. */
  private static BlockId wholeTree(List<Optional<BlockId>> blocks, long sizeBytes)
      throws NoSuchAlgorithmException {
    List<byte[]> level = new ArrayList<>();
    for (Optional<BlockId> block : blocks) {
      level.add(
          block.isPresent()
              ? sha(new byte[] {0}, block.get().bytes())
              : sha(new byte[] {1}, new byte[0]));
    }
    while (level.isEmpty() || Integer.bitCount(level.size()) != 1) {
      level.add(sha(new byte[] {2}, new byte[0]));
    }
    while (level.size() > 1) {
      List<byte[]> above = new ArrayList<>();
      for (int i = 0; i < level.size(); i += 2) {
        above.add(sha(new byte[] {0x10}, level.get(i), level.get(i + 1)));
      }
      level = above;
    }
    byte[] sizes = ByteBuffer.allocate(12).putLong(sizeBytes).putInt(SIZE.bytes()).array();
    byte[] name = "mover-disk-1".getBytes(StandardCharsets.US_ASCII);
    return BlockId.of(sha(new byte[] {0x20}, name, sizes, level.getFirst()));
  }

  private static byte[] sha(byte[]... parts) throws NoSuchAlgorithmException {
    MessageDigest sha = MessageDigest.getInstance("SHA-256");
    for (byte[] part : parts) {
      sha.update(part);
    }
    return sha.digest();
  }
}
