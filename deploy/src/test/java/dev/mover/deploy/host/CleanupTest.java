package dev.mover.deploy.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CleanupTest {
  @Test
  void undoesLastThingFirstOnceAndGoesOnAfterAFailure() {
    StringWriter err = new StringWriter();
    List<String> done = new ArrayList<>();
    Cleanup cleanup = new Cleanup(new PrintWriter(err, true), "demo");
    cleanup.add("remove the folder", () -> done.add("folder"));
    cleanup.add(
        "unmount",
        () -> {
          throw new IOException("target is busy");
        });
    cleanup.add("stop the daemon", () -> done.add("daemon"));

    cleanup.close();
    cleanup.close();

    assertThat(done).containsExactly("daemon", "folder");
    assertThat(err.toString()).contains("could not unmount: target is busy");
  }
}
