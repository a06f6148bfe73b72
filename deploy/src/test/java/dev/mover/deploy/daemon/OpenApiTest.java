package dev.mover.deploy.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.mover.api.error.ErrorCode;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The document and what is served are the same, in both directions. */
class OpenApiTest {
  private static final Set<String> ORDERS = Set.of("JobOrder", "DiskOrder", "LimitsOrder");

  private final JsonNode document = document();
  private final Map<String, Set<String>> seen = new TreeMap<>();

  private static JsonNode document() {
    try {
      return new JsonMapper().readTree(ProxyApi.openApi());
    } catch (java.io.IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void describesExactlyTheRoutesThatAreServed(@TempDir Path folder) {
    try (ApiFixture api = new ApiFixture(folder, 1)) {
      List<String> described = new ArrayList<>();
      document
          .path("paths")
          .properties()
          .forEach(
              path ->
                  path.getValue()
                      .fieldNames()
                      .forEachRemaining(
                          method ->
                              described.add(
                                  method.toUpperCase(Locale.ROOT) + " " + path.getKey())));
      assertThat(described).containsExactlyInAnyOrderElementsOf(api.routes.list());
    }
  }

  @Test
  void describesExactlyTheFieldsThatAreTaken() {
    assertThat(properties("JobOrder")).isEqualTo(JobOrder.FIELDS);
    assertThat(properties("DiskOrder")).isEqualTo(JobOrder.DISK_FIELDS);
    assertThat(properties("LimitsOrder")).isEqualTo(Limits.FIELDS);
  }

  @Test
  void describesExactlyTheFieldsThatAreServed(@TempDir Path folder) throws Exception {
    try (ApiFixture api = new ApiFixture(folder, 3)) {
      run(api);
    }
    for (String schema : schemas()) {
      if (!ORDERS.contains(schema)) {
        assertThat(seen.getOrDefault(schema, Set.of()))
            .as("fields of %s that were served", schema)
            .isEqualTo(properties(schema));
      }
    }
  }

  /** Brings every kind of reply about, and checks each. */
  private void run(ApiFixture api) throws Exception {
    String order =
        ApiFixture.order("warns")
            .replace("}", ",\"slots\":1,\"raw\":true}")
            .replace("sda\",\"slots\":1,\"raw\":true", "sda\"");
    HttpResponse<String> posted = api.send("POST", "/v1/jobs", order);
    String warns = ApiFixture.json(posted).path("id").asText();
    check("Job", posted);
    String fails = api.submit("fails");
    api.submit("runs");
    String waits = api.submit("waits");
    for (String machine : List.of("warns", "fails", "runs")) {
      api.runner.awaitRunning(machine);
      api.runner.progress(machine, 10);
    }
    check("Job", api.get("/v1/jobs/" + warns)); // with progress
    check("Job", api.get("/v1/jobs/" + waits)); // with its position
    check("JobPage", api.get("/v1/jobs?limit=1")); // with a next
    check("JobPage", api.get("/v1/jobs"));
    watch(api, fails, () -> api.runner.fail("fails", ErrorCode.REPOSITORY_FULL));
    watch(api, warns, () -> api.runner.warn("warns"));
    check("Job", api.get("/v1/jobs/" + warns));
    check("JobPage", api.get("/v1/jobs"));
    check("Job", api.send("DELETE", "/v1/jobs/" + waits, ""));
    check("Limits", api.get("/v1/limits"));
    check("Limits", api.send("PUT", "/v1/limits", "{\"maxConcurrentTasks\":2}"));
    check("Health", api.get("/health"));
    check("Ready", api.get("/ready"));
    check("ErrorReply", api.get("/v1/jobs/none"));
    check("ErrorReply", api.get("/nowhere"));
    assertThat(ApiFixture.json(api.get("/openapi.json"))).isEqualTo(document);
  }

  private void watch(ApiFixture api, String id, Runnable first) {
    List<String> names = new ArrayList<>();
    new HttpCaller(api.url())
        .events(
            "/v1/jobs/" + id + "/events",
            (name, data) -> {
              names.add(name);
              if (names.size() == 2) {
                first.run(); // state and progress are there
              }
              check(
                  switch (name) {
                    case "state" -> "StateEvent";
                    case "progress" -> "ProgressEvent";
                    case "result" -> "Job";
                    default -> throw new AssertionError("an event " + name);
                  },
                  data);
              return true;
            });
    assertThat(names).contains("state", "progress", "result");
  }

  private void check(String schema, HttpResponse<String> reply) throws java.io.IOException {
    check(schema, ApiFixture.json(reply));
  }

  /** Checks a value against a schema, field by field, and remembers the fields. */
  private void check(String schema, JsonNode value) {
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

  private Set<String> schemas() {
    return fields(document.path("components").path("schemas"));
  }

  private JsonNode schema(String name) {
    JsonNode schema = document.path("components").path("schemas").path(name);
    assertThat(schema.isObject()).as("schema %s", name).isTrue();
    return schema;
  }

  private Set<String> properties(String schema) {
    return fields(schema(schema).path("properties"));
  }

  private static Set<String> fields(JsonNode object) {
    return object.properties().stream()
        .map(Map.Entry::getKey)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
