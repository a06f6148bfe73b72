package dev.mover.deploy.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.block.BlockSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchImageTest {
  private static final long SIZE = (256L << 20) + 12_345;

  @TempDir private Path folder = Path.of("");

  @Test
  void sameSeedGivesTheSameImageOnAnyNumberOfThreads() throws IOException {
    Path one = folder.resolve("one");
    Path two = folder.resolve("two");
    Path other = folder.resolve("other");
    BenchImage.write(one, SIZE, 7, 1);
    BenchImage.write(two, SIZE, 7, 3);
    BenchImage.write(other, SIZE, 8, 2);

    assertThat(Files.size(one)).isEqualTo(SIZE);
    assertThat(Files.mismatch(one, two)).isEqualTo(-1);
    assertThat(Files.mismatch(one, other)).isNotEqualTo(-1);
  }

  @Test
  void packsLikeRealFilesAndIsHalfFull() throws IOException {
    Path image = folder.resolve("image");
    long dataBytes = BenchImage.write(image, SIZE, 1, 2);

    LoopResult packed = ReadLoop.pack(image, 2);
    assertThat((double) dataBytes / SIZE).isBetween(0.35, 0.65);
    // Blocks at the edge of a hole are read whole.
    assertThat(packed.plainBytes())
        .isBetween(dataBytes, dataBytes + 100L * BlockSize.DEFAULT.bytes());
    assertThat((double) packed.plainBytes() / packed.packedBytes()).isBetween(2.1, 3.3);
  }
}
