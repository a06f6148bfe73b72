package dev.mover.api.block;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.point.DiskSpec;
import dev.mover.testkit.Seeds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BlockSizeTest {
  @ParameterizedTest
  @EnumSource(BlockSize.class)
  void cutsTheSmallestAndTheLargestDisk(BlockSize size) {
    assertThat(size.count(0)).isZero();
    assertThat(size.count(1)).isEqualTo(1);
    assertThat(size.lengthAt(0, 1)).isEqualTo(1);
    assertThat(size.count(size.bytes())).isEqualTo(1);
    assertThat(size.count(size.bytes() + 1L)).isEqualTo(2);
    assertThat(size.lengthAt(1, size.bytes() + 1L)).isEqualTo(1);

    long last = size.count(DiskSpec.MAX_BYTES) - 1;
    assertThat(last * size.bytes()).isBetween(0L, DiskSpec.MAX_BYTES);
    assertThat(size.lengthAt(last, DiskSpec.MAX_BYTES)).isEqualTo(size.bytes() - 512);
    assertThat(size.lengthAt(last - 1, DiskSpec.MAX_BYTES)).isEqualTo(size.bytes());
  }

  @ParameterizedTest
  @EnumSource(BlockSize.class)
  void coversEveryDiskExactly(BlockSize size) {
    Seeds.check(
        200,
        random -> {
          long sizeBytes = random.nextLong(1, DiskSpec.MAX_BYTES + 1);
          long last = size.count(sizeBytes) - 1;
          assertThat(last * size.bytes() + size.lengthAt(last, sizeBytes)).isEqualTo(sizeBytes);
          assertThat(size.lengthAt(last, sizeBytes)).isBetween(1, size.bytes());
        });
  }

  @Test
  void knowsItsSizesByNumberAndLabel() {
    assertThat(BlockSize.ofBytes(1 << 20)).contains(BlockSize.MIB_1);
    assertThat(BlockSize.ofBytes(1 << 19)).contains(BlockSize.KIB_512);
    assertThat(BlockSize.ofBytes((1L << 32) + (1 << 20))).isEmpty();
    assertThat(BlockSize.values())
        .extracting(BlockSize::label)
        .containsExactly("256K", "512K", "1M", "4M");
    assertThat(BlockSize.values()).allMatch(s -> s.bytes() <= BlockSize.MAX_BYTES);
  }
}
