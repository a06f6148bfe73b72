package dev.mover.deploy.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.mover.transport.http.HttpEndpoint;
import dev.mover.transport.http.HttpRoutes;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/** The API over real HTTP on a loopback port, with a scripted runner behind it. */
final class ApiFixture implements AutoCloseable {
  static final int MOST_TASKS = 8;

  final ScriptedRunner runner = new ScriptedRunner();
  final JobHistory history;
  final JobBook jobs;
  final HttpRoutes routes;
  private final HttpEndpoint endpoint;
  private final HttpClient client = HttpClient.newHttpClient();

  ApiFixture(Path folder, int mostRunning) {
    history = JobHistory.open(folder);
    ProxyMetrics metrics = new ProxyMetrics();
    jobs = new JobBook(runner, history, InstantSource.system(), mostRunning, metrics::ended);
    LimitDesk limits =
        new LimitDesk(
            new Limits(4, mostRunning, 0),
            MOST_TASKS,
            now -> jobs.limitRunning(now.maxConcurrentJobs()));
    metrics.watch(jobs, limits, () -> 12);
    routes = new ProxyApi(jobs, history, limits, metrics).routes();
    endpoint = HttpEndpoint.bind("127.0.0.1", 0, routes);
  }

  String url() {
    return "http://127.0.0.1:" + endpoint.address().getPort();
  }

  static String order(String machine) {
    return "{\"machine\":\"%s\",\"disks\":[{\"path\":\"/d/sda\"}],\"to\":\"/backup\"}"
        .formatted(machine);
  }

  HttpResponse<String> send(String method, String path, String body)
      throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(URI.create(url() + path))
            .version(HttpClient.Version.HTTP_1_1)
            .header("Content-Type", "application/json")
            .timeout(Duration.ofSeconds(30))
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return send("GET", path, "");
  }

  /** Submits a job and gives its id. */
  String submit(String machine) throws IOException, InterruptedException {
    return json(send("POST", "/v1/jobs", order(machine))).path("id").asText();
  }

  static JsonNode json(HttpResponse<String> reply) throws IOException {
    return new JsonMapper().readTree(reply.body());
  }

  JsonNode show(String id) throws IOException, InterruptedException {
    return json(get("/v1/jobs/" + id));
  }

  /** Reads a job's events to their end: {@code name data} each. */
  List<String> events(String id) {
    List<String> events = new ArrayList<>();
    new HttpCaller(url())
        .events(
            "/v1/jobs/" + id + "/events",
            (name, data) -> {
              events.add(name + " " + data);
              return true;
            });
    return events;
  }

  @Override
  public void close() {
    jobs.stop(Duration.ZERO);
    endpoint.close();
    history.close();
    client.close();
  }
}
