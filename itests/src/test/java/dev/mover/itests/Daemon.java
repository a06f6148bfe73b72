package dev.mover.itests;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;

/** A running {@code mover repository} process. */
final class Daemon implements AutoCloseable {
  private static final long STOP_S = 20;

  private final Process process;
  private final JsonNode ready;

  private Daemon(Process process, JsonNode ready) {
    this.process = process;
    this.ready = ready;
  }

  /** Starts one on free ports and waits until it says it is ready. */
  static Daemon start(Path repository, int tasks) {
    return start(repository, tasks, "127.0.0.1:0");
  }

  static Daemon start(Path repository, int tasks, String listen) {
    try {
      Path config = config(repository, tasks, listen, "127.0.0.1:0");
      Process process =
          Mover.command("repository", "--config", config.toString(), "--json")
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
      String line = out.readLine();
      if (line == null) {
        throw new AssertionError("the daemon ended with " + process.onExit().join().exitValue());
      }
      return new Daemon(process, Mover.parse(line));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Path config(Path repository, int tasks, String listen, String http) throws IOException {
    Path config = Files.createTempFile("mover-it", ".yaml");
    config.toFile().deleteOnExit();
    return Files.writeString(
        config,
        "path: '%s'%nlisten: '%s'%nhttp: '%s'%nmaxConcurrentTasks: %d%n"
            .formatted(repository, listen, http, tasks));
  }

  String address() {
    return ready.path("listening").asText();
  }

  String mode() {
    return ready.path("mode").asText();
  }

  JsonNode health() {
    return get("");
  }

  /** Open sessions whose proxy is there. */
  long attendedSessions() {
    return StreamSupport.stream(get("/v1/sessions").path("sessions").spliterator(), false)
        .filter(session -> !session.path("state").asText().equals("away"))
        .count();
  }

  private JsonNode get(String path) {
    URI http = URI.create(ready.path("http").asText());
    try (InputStream in = (path.isEmpty() ? http : http.resolve(path)).toURL().openStream()) {
      return Mover.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Changes limits while it runs. */
  void limit(String json) {
    try {
      URI limits = URI.create(ready.path("http").asText()).resolve("/v1/limits");
      HttpURLConnection call = (HttpURLConnection) limits.toURL().openConnection();
      call.setRequestMethod("PUT");
      call.setRequestProperty("Content-Type", "application/json");
      call.setDoOutput(true);
      call.getOutputStream().write(json.getBytes(StandardCharsets.UTF_8));
      if (call.getResponseCode() != 200) {
        throw new AssertionError("PUT /v1/limits: " + call.getResponseCode());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  long peakRssBytes() {
    return Mover.peakRssBytes(process.pid());
  }

  /** SIGKILL; returns when it is dead. */
  void kill() {
    process.destroyForcibly().onExit().join();
  }

  /** SIGTERM; returns the exit code. */
  int stop() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_S, TimeUnit.SECONDS)) {
        kill();
        throw new AssertionError("the daemon did not stop within " + STOP_S + " s");
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    if (process.isAlive()) {
      stop();
    }
  }
}
