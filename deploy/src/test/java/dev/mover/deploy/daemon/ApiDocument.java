package dev.mover.deploy.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** An OpenAPI document that replies are held against, in both directions. */
final class ApiDocument {
  private final JsonNode root;
  private final Map<String, Set<String>> seen = new TreeMap<>();

  ApiDocument(String json) {
    try {
      root = new JsonMapper().readTree(json);
    } catch (java.io.IOException e) {
      throw new AssertionError(e);
    }
  }

  JsonNode root() {
    return root;
  }

  /** Every route it describes, as {@code GET /v1/jobs/{id}}. */
  List<String> routes() {
    List<String> described = new ArrayList<>();
    root.path("paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .fieldNames()
                    .forEachRemaining(
                        method ->
                            described.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey())));
    return described;
  }

  /** Checks a value against a schema, field by field, and remembers the fields. */
  void check(String schema, JsonNode value) {
    JsonNode described = schema(schema);
    assertThat(value.isObject()).as("%s: %s", schema, value).isTrue();
    Set<String> fields = fields(value);
    seen.computeIfAbsent(schema, _ -> new TreeSet<>()).addAll(fields);
    assertThat(properties(schema)).as("fields of %s", schema).containsAll(fields);
    described
        .path("required")
        .forEach(name -> assertThat(fields).as(schema).contains(name.asText()));
    for (String field : fields) {
      checkValue(schema + "." + field, described.path("properties").path(field), value.path(field));
    }
  }

  private void checkValue(String where, JsonNode described, JsonNode value) {
    String ref = described.path("$ref").asText();
    if (!ref.isEmpty()) {
      check(ref.substring(ref.lastIndexOf('/') + 1), value);
      return;
    }
    boolean fits =
        switch (described.path("type").asText()) {
          case "string" -> value.isTextual();
          case "integer" -> value.isIntegralNumber();
          case "number" -> value.isNumber();
          case "boolean" -> value.isBoolean();
          case "array" -> value.isArray();
          default -> throw new AssertionError(where + " has no type that is known");
        };
    assertThat(fits).as("%s is %s", where, value).isTrue();
    if (described.has("enum")) {
      Set<String> known = new TreeSet<>();
      described.path("enum").forEach(word -> known.add(word.asText()));
      assertThat(known).as(where).contains(value.asText());
    }
    for (JsonNode item : value) {
      checkValue(where + "[]", described.path("items"), item);
    }
  }

  /** Every field of every schema was served, except of those that are only taken. */
  void assertAllSeen(String... taken) {
    for (String schema : fields(root.path("components").path("schemas"))) {
      if (!Set.of(taken).contains(schema)) {
        assertThat(seen.getOrDefault(schema, Set.of()))
            .as("fields of %s that were served", schema)
            .isEqualTo(properties(schema));
      }
    }
  }

  /** Names of a schema's fields. */
  Set<String> properties(String schema) {
    return fields(schema(schema).path("properties"));
  }

  private JsonNode schema(String name) {
    JsonNode schema = root.path("components").path("schemas").path(name);
    assertThat(schema.isObject()).as("schema %s", name).isTrue();
    return schema;
  }

  private static Set<String> fields(JsonNode object) {
    return object.properties().stream()
        .map(Map.Entry::getKey)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
