package dev.mover.deploy.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.testkit.DiskImages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoopsTest {
  private static final long SIZE = (48L << 20) + 777;

  @TempDir private Path folder = Path.of("");
  private Path image = Path.of("");

  @BeforeEach
  void makeImage() throws IOException {
    image = folder.resolve("image");
    DiskImages.create(image, SIZE, 5);
  }

  @Test
  void unpackLoopBringsBackWhatTheWriteLoopKept() throws IOException {
    Path packed = folder.resolve("packed");
    Path restored = folder.resolve("restored");

    LoopResult written = ReadLoop.write(image, 3, packed);
    LoopResult unpacked = UnpackLoop.run(packed, 3, restored);

    assertThat(Files.mismatch(image, restored)).isEqualTo(-1);
    assertThat(unpacked.packedBytes()).isEqualTo(written.packedBytes());
    assertThat(Files.size(packed)).isBetween(written.packedBytes(), written.packedBytes() * 2);
  }

  @Test
  void allLoopsReadTheSameAndHashingKeepsNothing() throws IOException {
    LoopResult hashed = ReadLoop.hash(image, 2);
    LoopResult packed = ReadLoop.pack(image, 2);

    assertThat(hashed.plainBytes()).isEqualTo(packed.plainBytes()).isPositive();
    assertThat(hashed.packedBytes()).isZero();
    assertThat(packed.packedBytes()).isBetween(1L, packed.plainBytes());
  }

  @Test
  void aFailureOnAnyThreadFailsTheLoop() {
    Path gone = folder.resolve("gone");

    assertThatThrownBy(() -> ReadLoop.hash(gone, 2)).hasMessageContaining("no such file");
    assertThatThrownBy(
            () ->
                LoopThreads.run(
                    2,
                    () -> {
                      throw new IOException("no more disk");
                    }))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no more disk");
  }
}
