package dev.mover.deploy.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Tools of the system that make a file system. */
final class Tool {
  private static final long DEADLINE_S = 30;
  private static final List<Path> PLACES =
      List.of(Path.of("/usr/sbin"), Path.of("/sbin"), Path.of("/usr/bin"), Path.of("/bin"));

  private Tool() {}

  static boolean exists(String name) {
    return PLACES.stream().anyMatch(place -> Files.isExecutable(place.resolve(name)));
  }

  /** Runs to the end; fails with what the tool said. */
  static void run(String... command) throws IOException {
    Path said = Files.createTempFile("mover-tool", ".log");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(said.toFile())
              .start();
      await(process, command[0]);
      if (process.exitValue() != 0) {
        throw new IOException(
            Arrays.toString(command)
                + ": "
                + Files.readString(said, StandardCharsets.UTF_8).strip());
      }
    } finally {
      Files.deleteIfExists(said);
    }
  }

  private static void await(Process process, String name) throws IOException {
    try {
      if (!process.waitFor(DEADLINE_S, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IOException(name + " did not end within " + DEADLINE_S + " s");
      }
    } catch (InterruptedException e) {
      throw new AssertionError("nobody interrupts this command", e);
    }
  }
}
