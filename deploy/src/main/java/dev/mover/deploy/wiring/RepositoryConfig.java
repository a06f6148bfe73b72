package dev.mover.deploy.wiring;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * What {@code mover repository --config FILE} reads. The sample that {@code --print-config} shows
 * holds every key with its default and what it does.
 *
 * @param path the repository's directory
 * @param listen where proxies connect to; port 0 takes a free one
 * @param http where {@code /health} is served
 * @param maxConcurrentTasks task slots: most disks that stream in at once
 */
public record RepositoryConfig(Path path, HostPort listen, HostPort http, int maxConcurrentTasks) {
  static final HostPort DEFAULT_LISTEN = new HostPort("127.0.0.1", 7700);
  static final HostPort DEFAULT_HTTP = new HostPort("127.0.0.1", 7701);
  static final int DEFAULT_TASKS = 4;

  /** As many slots as the receive pool can give a share of two of the largest blocks. */
  static final int MOST_TASKS = 64;

  private static final Set<String> KNOWN =
      new TreeSet<>(Set.of("path", "listen", "http", "maxConcurrentTasks"));

  /** A configuration is a page; anything larger is the wrong file. */
  private static final int MOST_BYTES = 64 << 10;

  /** A daemon for this host only, on ports the system chooses. */
  public static RepositoryConfig onFreePorts(Path path) {
    return new RepositoryConfig(
        path, DEFAULT_LISTEN.withPort(0), DEFAULT_HTTP.withPort(0), DEFAULT_TASKS);
  }

  /** Reads a file; every complaint names it. */
  public static RepositoryConfig read(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MOST_BYTES + 1);
      if (bytes.length > MOST_BYTES) {
        throw bad(file.toString(), "is larger than 64 KiB, so it is not a configuration");
      }
      return parse(
          StandardCharsets.UTF_8.newDecoder().decode(java.nio.ByteBuffer.wrap(bytes)).toString(),
          file.toString());
    } catch (NoSuchFileException e) {
      throw bad(file.toString(), "does not exist; 'mover repository --print-config' shows one");
    } catch (MalformedInputException e) {
      throw bad(file.toString(), "is not UTF-8 text");
    } catch (IOException e) {
      throw bad(file.toString(), "can't be read: " + e.getMessage());
    }
  }

  /** A configuration with every key, its default and a word about it. */
  public static String sample() {
    try (InputStream in =
        Objects.requireNonNull(
            RepositoryConfig.class.getResourceAsStream("/repository.yaml"), "packaged")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static RepositoryConfig parse(String yaml, String name) {
    JsonNode root = tree(yaml, name);
    if (!root.isObject()) {
      throw bad(name, "must hold 'key: value' lines; known keys: " + String.join(", ", KNOWN));
    }
    List<String> unknown = new ArrayList<>();
    root.fieldNames().forEachRemaining(key -> unknown.add(key));
    unknown.removeAll(KNOWN);
    if (!unknown.isEmpty()) {
      throw bad(
          name,
          "has the unknown key '%s'; known keys: %s"
              .formatted(unknown.getFirst(), String.join(", ", KNOWN)));
    }
    return new RepositoryConfig(
        path(root.path("path"), name),
        hostPort(root.path("listen"), "listen", DEFAULT_LISTEN, name),
        hostPort(root.path("http"), "http", DEFAULT_HTTP, name),
        tasks(root.path("maxConcurrentTasks"), name));
  }

  private static JsonNode tree(String yaml, String name) {
    YAMLFactory factory =
        YAMLFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();
    try {
      JsonNode root = new YAMLMapper(factory).readTree(yaml);
      return root == null ? MissingNode.getInstance() : root;
    } catch (JsonProcessingException e) {
      throw bad(
          name,
          "is not YAML: %s (line %d)"
              .formatted(e.getOriginalMessage(), e.getLocation().getLineNr()));
    }
  }

  private static Path path(JsonNode node, String name) {
    if (!node.isTextual() || node.textValue().isEmpty()) {
      throw bad(name, "needs 'path': the repository's directory");
    }
    try {
      return Path.of(node.textValue());
    } catch (InvalidPathException e) {
      throw bad(name, "has a 'path' that is none: " + e.getReason());
    }
  }

  private static HostPort hostPort(JsonNode node, String key, HostPort otherwise, String name) {
    if (node.isMissingNode()) {
      return otherwise;
    }
    return HostPort.parse(node.asText())
        .orElseThrow(
            () ->
                bad(
                    name,
                    "has '%s: %s'; write host:port, for example 0.0.0.0:7700 or '[::1]:7700'"
                        .formatted(key, node.asText())));
  }

  private static int tasks(JsonNode node, String name) {
    if (node.isMissingNode()) {
      return DEFAULT_TASKS;
    }
    if (!node.isInt() || node.intValue() < 1 || node.intValue() > MOST_TASKS) {
      throw bad(
          name,
          "has 'maxConcurrentTasks: %s'; it takes 1 to %d".formatted(node.asText(), MOST_TASKS));
    }
    return node.intValue();
  }

  private static InputException bad(String name, String message) {
    return new InputException(ErrorCode.BAD_CONFIG, "configuration " + name + " " + message);
  }
}
