package dev.mover.deploy.host;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A child process {@code mover … --json}, started by the launcher as a person would. */
public final class MoverProcess {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long READY_S = 30;

  /** A step of the demo takes seconds; a process that hangs must not hang it. */
  private static final Duration RUN_WITHIN = Duration.ofMinutes(2);

  private static final long STOP_S = 10;

  private final Process process;
  private final Path errors;
  private final String what;

  private MoverProcess(Process process, Path errors, String what) {
    this.process = process;
    this.errors = errors;
    this.what = what;
  }

  /** Starts; the cleanup stops it if it still runs then. */
  public static MoverProcess start(Path work, Cleanup cleanup, String... arguments)
      throws IOException {
    String launcher = System.getProperty("mover.launcher", "");
    if (launcher.isEmpty()) {
      throw new InputException(
          ErrorCode.BAD_USAGE,
          "starts further mover processes, so start it by deploy/mover itself");
    }
    List<String> command = new ArrayList<>(List.of(launcher));
    command.addAll(Arrays.asList(arguments));
    command.add("--json");
    Path errors = Files.createTempFile(work, arguments[0], ".stderr");
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
    builder.environment().put("MOVER_NO_BUILD", "1");
    MoverProcess child = new MoverProcess(builder.start(), errors, "mover " + arguments[0]);
    cleanup.add("stop " + child.what, child::stop);
    return child;
  }

  /**
   * The first line it prints; a daemon prints one when it is ready.
   *
   * @throws MoverException what it failed of, when that is what it printed, or nothing
   */
  public JsonNode ready() throws IOException {
    try {
      String line =
          CompletableFuture.supplyAsync(this::firstLine, Thread.ofVirtual()::start)
              .get(READY_S, TimeUnit.SECONDS);
      JsonNode first = json(line);
      if (first.isObject() && !first.has("error")) {
        return first;
      }
      if (!process.waitFor(STOP_S, TimeUnit.SECONDS)) {
        kill();
      }
      throw failure(first);
    } catch (TimeoutException e) {
      throw late(what + " was not ready within " + READY_S + " s" + said());
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private String firstLine() {
    try {
      String line =
          process.inputReader(StandardCharsets.UTF_8).readLine(); // the reader lives as long
      return line == null ? "" : line;
    } catch (IOException e) {
      return "";
    }
  }

  /**
   * Gives a process that takes orders line by line one of them, and waits for its answer as long as
   * it lives.
   */
  public JsonNode ask(JsonNode order) throws IOException {
    BufferedWriter out = process.outputWriter(StandardCharsets.UTF_8);
    out.write(order.toString());
    out.newLine();
    out.flush();
    String line = process.inputReader(StandardCharsets.UTF_8).readLine();
    if (line == null) {
      throw failed(what + " ended in the middle of its work" + said());
    }
    return json(line);
  }

  /**
   * Waits for its end and returns all lines it printed. A process that does not end in time is
   * killed.
   *
   * @throws MoverException what it failed of, unless it exited with 0
   */
  public List<JsonNode> finish() throws IOException {
    return finish(RUN_WITHIN);
  }

  List<JsonNode> finish(Duration deadline) throws IOException {
    List<JsonNode> lines = new ArrayList<>();
    for (String line : linesWithin(deadline)) {
      lines.add(json(line));
    }
    if (process.exitValue() != 0) {
      throw failure(lines.isEmpty() ? MissingNode.getInstance() : lines.getLast());
    }
    return lines;
  }

  /** All it prints; it has ended then. */
  private List<String> linesWithin(Duration deadline) throws IOException {
    CompletableFuture<List<String>> printed =
        CompletableFuture.supplyAsync(
            () -> process.inputReader(StandardCharsets.UTF_8).lines().toList(),
            Thread.ofVirtual()::start);
    try {
      List<String> lines = printed.get(deadline.toMillis(), TimeUnit.MILLISECONDS);
      if (process.waitFor(STOP_S, TimeUnit.SECONDS)) {
        return lines;
      }
    } catch (TimeoutException e) {
      // said below
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
    kill();
    throw late(what + " did not end within " + deadline.toSeconds() + " s and was killed" + said());
  }

  /** What it said it failed of, with its code; else what there is to see. */
  private MoverException failure(JsonNode last) {
    JsonNode error = last.path("error");
    return ErrorCode.of(error.path("code").asInt())
        .map(code -> MoverException.of(code, side(error), what + ": " + text(error)))
        .orElseGet(() -> failed(what + " ended with exit code " + process.exitValue() + said()));
  }

  private static Side side(JsonNode error) {
    String name = error.path("side").asText().toUpperCase(Locale.ROOT);
    return Arrays.stream(Side.values())
        .filter(side -> side.name().equals(name))
        .findFirst()
        .orElse(Side.CLI);
  }

  private static String text(JsonNode error) {
    return error.path("message").asText();
  }

  private static MoverException failed(String message) {
    return MoverException.of(ErrorCode.INTERNAL, Side.CLI, message);
  }

  private static MoverException late(String message) {
    return MoverException.of(ErrorCode.DEADLINE_PASSED, Side.CLI, message);
  }

  /** Asks it to end as systemd would, then insists. */
  public void stop() throws IOException {
    process.destroy();
    try {
      if (!process.waitFor(STOP_S, TimeUnit.SECONDS)) {
        kill();
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** With its children: the launcher may still be building or training. */
  private void kill() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    try {
      process.destroyForcibly().waitFor();
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private JsonNode json(String line) {
    try {
      return JSON.readTree(line);
    } catch (JsonProcessingException e) {
      throw failed(what + " printed no JSON: '" + line + "'" + said());
    }
  }

  private String said() {
    try {
      String said = Files.readString(errors, StandardCharsets.UTF_8).strip();
      return said.isEmpty() ? "" : "; it said: " + said;
    } catch (IOException e) {
      return "";
    }
  }

  private static AssertionError interrupted(InterruptedException e) {
    return new AssertionError("nobody interrupts this command", e);
  }
}
