package dev.mover.deploy.daemon;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;

/**
 * An object somebody sent, read field by field: a field that is not known, there twice, or of
 * another type is refused by name, with {@link InputException} BAD_USAGE.
 */
final class StrictJson {
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private final JsonNode node;
  private final String where;

  private StrictJson(JsonNode node, String where) {
    this.node = node;
    this.where = where;
  }

  /** Reads a body that must be one object with these fields at most. */
  static StrictJson parse(String body, Set<String> fields) {
    try {
      return of(MAPPER.readTree(body), "the body", fields);
    } catch (JsonProcessingException e) {
      throw bad("the body is not JSON: " + e.getOriginalMessage());
    }
  }

  static StrictJson of(JsonNode node, String where, Set<String> fields) {
    if (!(node instanceof ObjectNode object)) {
      throw bad(where + " must be an object");
    }
    TreeSet<String> known = new TreeSet<>(fields);
    object
        .fieldNames()
        .forEachRemaining(
            name -> {
              if (!known.contains(name)) {
                throw bad(
                    "%s has the unknown field '%s'; known are %s"
                        .formatted(where, name, String.join(", ", known)));
              }
            });
    return new StrictJson(node, where);
  }

  /** A field that must be there. */
  String text(String field) {
    JsonNode value = node.path(field);
    if (!value.isTextual() || value.textValue().isEmpty()) {
      throw bad(where + " needs '" + field + "', a text");
    }
    return value.textValue();
  }

  String text(String field, String otherwise) {
    return node.has(field) ? text(field) : otherwise;
  }

  OptionalInt number(String field, int least, int most) {
    JsonNode value = node.path(field);
    if (value.isMissingNode()) {
      return OptionalInt.empty();
    }
    if (!value.isInt() || value.intValue() < least || value.intValue() > most) {
      throw bad("'%s' takes %d to %d, not %s".formatted(field, least, most, value));
    }
    return OptionalInt.of(value.intValue());
  }

  /** False when it is not there. */
  boolean flag(String field) {
    JsonNode value = node.path(field);
    if (!value.isMissingNode() && !value.isBoolean()) {
      throw bad("'%s' is true or false, not %s".formatted(field, value));
    }
    return value.booleanValue();
  }

  /** A list that must be there. */
  JsonNode list(String field) {
    JsonNode value = node.path(field);
    if (!value.isArray()) {
      throw bad(where + " needs '" + field + "', a list");
    }
    return value;
  }

  static InputException bad(String message) {
    return new InputException(ErrorCode.BAD_USAGE, message);
  }
}
