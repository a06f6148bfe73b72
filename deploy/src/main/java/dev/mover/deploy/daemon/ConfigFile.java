package dev.mover.deploy.daemon;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.FileReason;
import dev.mover.api.error.InputException;
import dev.mover.deploy.wiring.HostPort;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A YAML mapping read key by key. Unknown keys and values that don't fit are refused by name, with
 * {@link InputException} BAD_CONFIG that names the file.
 */
final class ConfigFile {
  /** A configuration is a page; anything larger is the wrong file. */
  private static final int MOST_BYTES = 64 << 10;

  /** A line of a parser's message that says where. */
  private static final Pattern PLACE = Pattern.compile("(?m)^ in .*, line (\\d{1,6}), column ");

  private final JsonNode root;
  private final String name;

  private ConfigFile(JsonNode root, String name) {
    this.root = root;
    this.name = name;
  }

  /** The text of a file. */
  static String read(Path file, String sampleCommand) {
    String name = file.toString();
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MOST_BYTES + 1);
      if (bytes.length > MOST_BYTES) {
        throw bad(name, "is larger than 64 KiB, so it is not a configuration");
      }
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (NoSuchFileException e) {
      throw bad(name, "does not exist; '" + sampleCommand + "' shows one");
    } catch (MalformedInputException e) {
      throw bad(name, "is not UTF-8 text");
    } catch (IOException e) {
      throw bad(name, "can't be read: " + FileReason.of(e));
    }
  }

  /** Reads a mapping with these keys at most. */
  static ConfigFile parse(String yaml, String name, Set<String> keys) {
    YAMLFactory factory =
        YAMLFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();
    try {
      JsonNode root = new YAMLMapper(factory).readTree(yaml);
      return of(root == null ? MissingNode.getInstance() : root, name, "", keys);
    } catch (JsonProcessingException e) {
      throw bad(
          name, "is not YAML: %s (line %d)".formatted(oneLine(e.getOriginalMessage()), line(e)));
    }
  }

  /** Where it is wrong: the message's last place; the parser's own may be where that began. */
  private static int line(JsonProcessingException e) {
    return PLACE
        .matcher(e.getOriginalMessage())
        .results()
        .map(place -> Integer.valueOf(place.group(1)))
        .reduce((_, last) -> last)
        .orElse(e.getLocation().getLineNr());
  }

  /** Without the places and the quoted lines between: the file's line is told anyway. */
  private static String oneLine(String message) {
    return message
        .lines()
        .filter(line -> !line.startsWith(" ") && !line.isBlank())
        .collect(Collectors.joining(", "));
  }

  /** One mapping of a list that this one holds. */
  ConfigFile item(JsonNode node, String key, Set<String> keys) {
    return of(node, name, " in '" + key + "'", keys);
  }

  private static ConfigFile of(JsonNode root, String name, String where, Set<String> keys) {
    String known = String.join(", ", new TreeSet<>(keys));
    if (!root.isObject()) {
      throw bad(name, "must hold 'key: value' lines" + where + "; known keys: " + known);
    }
    root.fieldNames()
        .forEachRemaining(
            key -> {
              if (!keys.contains(key)) {
                throw bad(
                    name,
                    "has the unknown key '%s'%s; known keys: %s".formatted(key, where, known));
              }
            });
    return new ConfigFile(root, name);
  }

  JsonNode node(String key) {
    return root.path(key);
  }

  Path path(String key, String what) {
    JsonNode node = root.path(key);
    if (!node.isTextual() || node.textValue().isEmpty()) {
      throw bad("needs '" + key + "': " + what);
    }
    try {
      return Path.of(node.textValue());
    } catch (InvalidPathException e) {
      throw bad("has a '" + key + "' that is none: " + e.getReason());
    }
  }

  HostPort hostPort(String key, HostPort otherwise) {
    JsonNode node = root.path(key);
    if (node.isMissingNode()) {
      return otherwise;
    }
    return HostPort.parse(node.asText())
        .orElseThrow(
            () ->
                bad(
                    "has '%s: %s'; write host:port, for example 127.0.0.1:7702 or '[::1]:7702'"
                        .formatted(key, node.asText())));
  }

  int number(String key, int least, int most, int otherwise) {
    JsonNode node = root.path(key);
    if (node.isMissingNode()) {
      return otherwise;
    }
    if (!node.isInt() || node.intValue() < least || node.intValue() > most) {
      throw bad(
          "has '%s: %s'; it takes %d to %d"
              .formatted(key, node.isValueNode() ? node.asText() : node, least, most));
    }
    return node.intValue();
  }

  InputException bad(String message) {
    return bad(name, message);
  }

  private static InputException bad(String name, String message) {
    return new InputException(ErrorCode.BAD_CONFIG, "configuration " + name + " " + message);
  }
}
