package dev.mover.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DiskImagesTest {
  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 511, (1 << 20) + 1, (40 << 20) - 3})
  void givesTheSameBytesForTheSameSeed(long sizeBytes) throws IOException {
    Path one = folder.resolve("one");
    Path two = folder.resolve("two");
    DiskImages.create(one, sizeBytes, 7);
    DiskImages.create(two, sizeBytes, 7);
    assertThat(Files.size(one)).isEqualTo(sizeBytes);
    assertThat(Files.mismatch(one, two)).isEqualTo(-1);
  }

  @Test
  void holdsZerosAndRepeatsAmongItsContent() throws IOException {
    Path image = folder.resolve("image");
    DiskImages.create(image, 96L << 20, 3);
    byte[] all = Files.readAllBytes(image);
    int block = 1 << 20;
    long zero = 0;
    Map<Integer, Integer> seen = new HashMap<>();
    for (int at = 0; at < all.length; at += block) {
      byte[] one = Arrays.copyOfRange(all, at, at + block);
      int hash = Arrays.hashCode(one);
      zero += hash == Arrays.hashCode(new byte[block]) ? 1 : 0;
      seen.merge(hash, 1, Integer::sum);
    }
    assertThat(zero).isPositive();
    assertThat(seen.values()).anyMatch(times -> times > 1);
    assertThat(seen).hasSizeGreaterThan(40);
  }

  @Test
  void changesAnImageButNotItsSize() throws IOException {
    Path image = folder.resolve("image");
    DiskImages.create(image, (3 << 20) + 5, 1);
    byte[] before = Files.readAllBytes(image);
    DiskImages.change(image, 4, 2);
    assertThat(Files.readAllBytes(image)).hasSameSizeAs(before).isNotEqualTo(before);
  }
}
