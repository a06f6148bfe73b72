package dev.mover.deploy.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import dev.mover.transport.http.HttpReply;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/operations.md lists is what there is: nothing is missing, and nothing is made up. */
class OperationsPageTest {
  private static final Path PAGE = Path.of("..", "docs", "operations.md");
  private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"");
  private static final Set<String> MUST_BE_GIVEN = Set.of("stateDir", "path");

  private final List<String> page;

  @TempDir private Path folder = Path.of("");

  OperationsPageTest() throws IOException {
    page = Files.readAllLines(PAGE);
  }

  /** The first cells of each row of the tables below a heading, up to the next heading. */
  private List<String> rows(String heading, int cells) {
    int from = page.indexOf(heading);
    assertThat(from).as("%s has '%s'", PAGE, heading).isNotNegative();
    return page.stream()
        .skip(from + 1L)
        .takeWhile(line -> !line.startsWith("#"))
        .filter(line -> line.startsWith("| `"))
        .map(line -> Arrays.stream(line.split("\\|")).skip(1).limit(cells).map(String::strip))
        .map(row -> row.collect(Collectors.joining(" | ")))
        .toList();
  }

  @Test
  void listsEveryErrorCodeWithItsNumberAndHttpStatus() {
    assertThat(rows("## Error codes", 3))
        .containsExactlyElementsOf(
            Arrays.stream(ErrorCode.values())
                .map(code -> "`%s` | %d | %d".formatted(code, code.number(), status(code)))
                .toList());
  }

  private static int status(ErrorCode code) {
    return HttpReply.error(MoverException.of(code, Side.PROXY, "it failed")).status();
  }

  @Test
  void listsEveryMetricOfTheProxy() throws Exception {
    String state = "http: 127.0.0.1:0\nstateDir: " + folder.resolve("state");
    try (ProxyDaemon daemon = ProxyDaemon.start(ProxyConfig.parse(state, "test"))) {
      assertThat(metrics("### Of the proxy"))
          .containsExactlyInAnyOrderElementsOf(scrape(daemon.url()));
    }
  }

  @Test
  void listsEveryMetricOfTheRepository() throws Exception {
    RepositoryConfig config = RepositoryConfig.onFreePorts(folder.resolve("repository"));
    try (RepositoryDaemon daemon = RepositoryDaemon.start(config)) {
      assertThat(metrics("### Of the repository"))
          .containsExactlyInAnyOrderElementsOf(scrape(daemon.url()));
    }
  }

  private List<String> metrics(String heading) {
    return Stream.concat(rows(heading, 1).stream(), rows("### Of both processes", 1).stream())
        .map(name -> name.replace("`", ""))
        .toList();
  }

  /** Every family a daemon really has: {@code name{label,label}}. */
  private static List<String> scrape(String url) throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      String text =
          client
              .send(
                  HttpRequest.newBuilder(URI.create(url + "/metrics")).build(),
                  HttpResponse.BodyHandlers.ofString())
              .body();
      return text.lines()
          .filter(line -> line.startsWith("# TYPE "))
          .map(line -> line.split(" ", -1)[2])
          .map(name -> name + labels(text, name))
          .toList();
    }
  }

  private static String labels(String scrape, String name) {
    String sample =
        scrape.lines().filter(line -> line.startsWith(name + "{")).findFirst().orElse("");
    String names =
        LABEL.matcher(sample).results().map(r -> r.group(1)).collect(Collectors.joining(","));
    return names.isEmpty() ? "" : "{" + names + "}";
  }

  @Test
  void listsEveryKeyWithItsDefault() throws Exception {
    assertThat(rows("### The proxy's keys", 2)).isEqualTo(defaults(ProxyConfig.sample()));
    assertThat(rows("### The repository's keys", 2)).isEqualTo(defaults(RepositoryConfig.sample()));
  }

  private static List<String> defaults(String sample) throws IOException {
    List<String> rows = new ArrayList<>();
    new YAMLMapper()
        .readTree(sample)
        .properties()
        .forEach(
            key ->
                rows.add(
                    "`%s` | %s"
                        .formatted(
                            key.getKey(),
                            MUST_BE_GIVEN.contains(key.getKey())
                                ? "must be given"
                                : text(key.getValue()))));
    return rows;
  }

  private static String text(JsonNode value) {
    return "`" + (value.isValueNode() ? value.asText() : value.toString()) + "`";
  }

  @Test
  void listsEveryRoute() throws Exception {
    assertThat(rows("### The proxy's API", 1)).isEqualTo(routes(ProxyApi.openApi()));
    assertThat(rows("### The repository's API", 1)).isEqualTo(routes(RepositoryApi.openApi()));
  }

  private static List<String> routes(String openApi) throws IOException {
    List<String> routes = new ArrayList<>();
    for (var path : new JsonMapper().readTree(openApi).path("paths").properties()) {
      for (var method : path.getValue().properties()) {
        routes.add("`%s %s`".formatted(method.getKey().toUpperCase(Locale.ROOT), path.getKey()));
      }
    }
    return routes;
  }
}
