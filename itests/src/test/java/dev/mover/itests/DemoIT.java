package dev.mover.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README's first command. */
class DemoIT {
  @TempDir private Path folder = Path.of("");

  @Test
  void tellsItsStoryWithinAMinuteAndLeavesNothing() throws Exception {
    long startedNs = System.nanoTime();
    Mover.Result demo = Mover.run("demo", "--dir", folder.toString()).ok();

    assertThat((System.nanoTime() - startedNs) / 1_000_000_000).isLessThan(60);
    assertThat(demo.out())
        .contains("equal to the sources, byte by byte")
        .containsPattern("Most tasks at once: [23] of 3")
        .contains("Disks restored and equal: 5")
        .contains("all sound");
    assertThat(demo.err()).isEmpty();
    assertThat(folder).isEmptyDirectory();
    assertThat(Files.readString(Path.of("/proc/mounts"))).doesNotContain(folder.toString());
  }
}
