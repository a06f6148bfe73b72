package dev.mover.deploy.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.error.MoverException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoDisksTest {
  private static final int BLOCK = 1 << 20;

  private final DemoDisks disks = new DemoDisks();
  @TempDir private Path folder = Path.of("");

  @Test
  void machinesShareMostOfTheirSystem() throws Exception {
    Path web = folder.resolve("web");
    Path db = folder.resolve("db");
    disks.writeSystem(web, 1, 10);
    disks.writeSystem(db, 1, 20);

    assertThat(Files.size(web)).isEqualTo(DemoDisks.SYSTEM_BYTES);
    assertThat(differing(web, db)).isBetween(1L, 20L);
  }

  @Test
  void updateIsTheSameOnBothAndChangesLittle() throws Exception {
    Path before = folder.resolve("before");
    Path after = folder.resolve("after");
    disks.writeData(before, 3);
    disks.writeData(after, 3);
    assertThat(differing(before, after)).isZero();

    disks.updateData(after, 4);
    assertThat(Files.size(after)).isEqualTo(DemoDisks.DATA_BYTES);
    assertThat(differing(before, after)).isBetween(1L, 25L);
  }

  @Test
  void comparisonNamesTheFirstByteThatDiffers() throws Exception {
    Path one = Files.write(folder.resolve("one"), new byte[] {1, 2, 3});
    Path two = Files.write(folder.resolve("two"), new byte[] {1, 2, 4});

    assertThatThrownBy(() -> Comparison.mustEqual(one, two))
        .isInstanceOf(MoverException.class)
        .hasMessageContaining("from byte 2 on");
    assertThat(Comparison.sha256(one)).isNotEqualTo(Comparison.sha256(two));
  }

  private static long differing(Path one, Path two) throws IOException {
    long blocks = 0;
    try (FileChannel a = FileChannel.open(one, StandardOpenOption.READ);
        FileChannel b = FileChannel.open(two, StandardOpenOption.READ)) {
      for (long at = 0; at < a.size(); at += BLOCK) {
        long length = Math.min(BLOCK, a.size() - at);
        blocks +=
            a.map(FileChannel.MapMode.READ_ONLY, at, length)
                    .equals(b.map(FileChannel.MapMode.READ_ONLY, at, length))
                ? 0
                : 1;
      }
    }
    return blocks;
  }
}
