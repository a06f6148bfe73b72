package dev.mover.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;

/** Runs the system's own tools. */
final class Shell {
  private Shell() {}

  /** Runs a command to its end and returns what it printed, errors included. */
  static String run(String... command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      String output =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      int status = process.waitFor();
      if (status != 0) {
        throw new IllegalStateException(
            String.join(" ", command) + " ended with " + status + ": " + output);
      }
      return output;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  static boolean isRoot() {
    try {
      return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether the tool is on the usual paths; {@code sbin} is not on every user's PATH. */
  static boolean has(String tool) {
    return Arrays.stream(new String[] {"/usr/sbin", "/sbin", "/usr/bin", "/bin"})
        .anyMatch(dir -> Files.isExecutable(Path.of(dir, tool)));
  }

  /** Skips the test, aloud, when there is a reason why it can't run here. */
  static void skipIf(String what, Optional<String> whyNot) {
    whyNot.ifPresent(why -> System.err.println("SKIPPED: a test needs " + what + ": " + why));
    Assumptions.assumeTrue(whyNot.isEmpty(), () -> what + ": " + whyNot.orElseThrow());
  }
}
