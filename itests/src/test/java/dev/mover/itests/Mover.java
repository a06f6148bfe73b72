package dev.mover.itests;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Runs {@code deploy/mover} as a person would: one process a call. */
final class Mover {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long DEADLINE_S = 180;
  private static final long RSS_EVERY_MS = 20;

  private Mover() {}

  /**
   * What a process left.
   *
   * @param peakRssBytes VmHWM as last seen while it ran
   */
  record Result(int exit, String out, String err, long peakRssBytes) {
    /** The one object it printed. */
    JsonNode json() {
      List<JsonNode> lines = jsonLines();
      if (lines.size() != 1) {
        throw new AssertionError("printed not one object: " + this);
      }
      return lines.getFirst();
    }

    List<JsonNode> jsonLines() {
      return out.lines().map(Mover::parse).toList();
    }

    /** The name of the error it printed with {@code --json}. */
    String error() {
      return json().path("error").path("name").asText();
    }

    Result ok() {
      if (exit != 0) {
        throw new AssertionError("exit code " + exit + "\n" + out + err);
      }
      return this;
    }
  }

  static Path launcher() {
    return Path.of(System.getProperty("mover.launcher", "../deploy/mover")).toAbsolutePath();
  }

  /** Starts without waiting; streams are the caller's. */
  static ProcessBuilder command(String... arguments) {
    List<String> command = new ArrayList<>(List.of(launcher().toString()));
    command.addAll(Arrays.asList(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().remove("JAVA_TOOL_OPTIONS"); // the JVM tells of it on stderr
    builder
        .environment()
        .putAll(
            Map.of("MOVER_NO_BUILD", "1", "MOVER_JAVA_HOME", System.getProperty("java.home", "")));
    return builder;
  }

  static Result run(String... arguments) {
    return await(command(arguments));
  }

  static Result json(String... arguments) {
    String[] all = Arrays.copyOf(arguments, arguments.length + 1);
    all[arguments.length] = "--json";
    return run(all);
  }

  static Result await(ProcessBuilder builder) {
    try {
      Path out = Files.createTempFile("mover-it", ".out");
      Path err = Files.createTempFile("mover-it", ".err");
      try {
        Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
        long peak = watch(process);
        return new Result(
            process.exitValue(),
            Files.readString(out, StandardCharsets.UTF_8),
            Files.readString(err, StandardCharsets.UTF_8),
            peak);
      } finally {
        Files.delete(out);
        Files.delete(err);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits for the end and looks at the peak of resident memory meanwhile; it never falls. */
  private static long watch(Process process) {
    long[] peak = new long[1];
    try (ScheduledExecutorService ticker =
        Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().factory())) {
      var _ =
          ticker.scheduleAtFixedRate(
              () -> peak[0] = Math.max(peak[0], peakRssBytes(process.pid())),
              0,
              RSS_EVERY_MS,
              TimeUnit.MILLISECONDS);
      if (!process.waitFor(DEADLINE_S, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError("did not end within " + DEADLINE_S + " s");
      }
      ticker.shutdown();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    return peak[0];
  }

  /** VmHWM of a process; 0 when it is gone. */
  static long peakRssBytes(long pid) {
    try {
      return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
          .filter(line -> line.startsWith("VmHWM:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
          .findFirst()
          .orElse(0);
    } catch (IOException | UncheckedIOException e) {
      return 0;
    }
  }

  static JsonNode parse(String line) {
    try {
      return JSON.readTree(line);
    } catch (JsonProcessingException e) {
      throw new AssertionError("not JSON: " + line, e);
    }
  }
}
