package dev.mover.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mover.testkit.DiskImages;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That everything is measured; whether it is fast enough is not for a test on a busy machine. */
class BenchIT {
  private static final long SIZE = (64L << 20) + 4096;
  private static final int ROUNDS = 4;

  @TempDir private Path folder = Path.of("");

  @Test
  void measuresEveryLoopAndRunInEveryRoundAndLeavesNothing() throws Exception {
    Path image = folder.resolve("image");
    Path work = Files.createDirectory(folder.resolve("work"));
    DiskImages.create(image, SIZE, 1);

    Mover.Result bench =
        Mover.run("bench", image.toString(), "--dir", work.toString(), "--tasks", "6", "--json");

    assertThat(bench.exit()).as(bench.err()).isIn(0, 1);
    JsonNode places = bench.json().path("places");
    assertThat(places).isNotEmpty();
    for (JsonNode place : places) {
      long subjects = place.path("cloning").asBoolean() ? 9 : 8;
      assertThat(place.path("samples")).hasSize((int) (ROUNDS * subjects + ROUNDS - 1));
      assertThat(place.path("medians").path("tcp").path("coldMs").asLong()).isPositive();
      assertThat(place.path("medians").path("tasks-6").path("warmMs").asLong()).isPositive();
      assertThat(promise(place, "second run: sent").path("kept").asBoolean()).isTrue();
      assertThat(promise(place, "most memory of repository").path("kept").asBoolean()).isTrue();
    }
    assertThat(work).isEmptyDirectory();
    assertThat(Files.readString(Path.of("/proc/mounts"))).doesNotContain(folder.toString());
  }

  private static JsonNode promise(JsonNode place, String name) {
    for (JsonNode promise : place.path("promises")) {
      if (promise.path("promise").asText().equals(name)) {
        return promise;
      }
    }
    throw new AssertionError("nothing is said about " + name + ": " + place);
  }
}
