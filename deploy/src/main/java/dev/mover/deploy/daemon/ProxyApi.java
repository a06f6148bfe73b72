package dev.mover.deploy.daemon;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import dev.mover.deploy.text.PackagedText;
import dev.mover.transport.http.HttpEvents;
import dev.mover.transport.http.HttpReply;
import dev.mover.transport.http.HttpRequest;
import dev.mover.transport.http.HttpRoutes;
import java.util.List;

/** The proxy's HTTP API; {@code /openapi.json} describes it, and a test holds the two together. */
final class ProxyApi {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final String JOBS = "/v1/jobs";
  private static final String JOB = "/v1/jobs/{id}";
  private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

  private final JobBook jobs;
  private final JobHistory history;
  private final LimitDesk limits;
  private final ProxyMetrics metrics;

  ProxyApi(JobBook jobs, JobHistory history, LimitDesk limits, ProxyMetrics metrics) {
    this.jobs = jobs;
    this.history = history;
    this.limits = limits;
    this.metrics = metrics;
  }

  HttpRoutes routes() {
    return HttpRoutes.none()
        .get(JOBS, this::list)
        .post(JOBS, this::submit)
        .get(JOB, r -> ok(jobs.find(r.variable("id"))))
        .delete(JOB, r -> HttpReply.json(202, jobs.cancel(r.variable("id")).toString()))
        .get(JOB + "/events", r -> new HttpEvents(jobs.watch(r.variable("id"))))
        .get("/v1/limits", _ -> ok(limits.now().json()))
        .put("/v1/limits", r -> ok(limits.change(r.body()).json()))
        .get("/health", _ -> ok(health()))
        .get("/ready", _ -> ready())
        .get("/metrics", _ -> new HttpReply(200, PROMETHEUS, metrics.scrape(), java.util.Map.of()))
        .get("/openapi.json", _ -> HttpReply.json(200, openApi()));
  }

  private static HttpReply ok(ObjectNode body) {
    return HttpReply.json(200, body.toString());
  }

  private HttpReply submit(HttpRequest request) {
    ObjectNode job = jobs.submit(JobOrder.parse(request.body()));
    return HttpReply.json(201, job.toString())
        .with("Location", JOBS + "/" + job.path(JobJson.ID).asText());
  }

  private HttpReply list(HttpRequest request) {
    List<ObjectNode> all = jobs.list();
    List<ObjectNode> some =
        request
            .parameter("state")
            .map(JobState::named)
            .map(
                state ->
                    all.stream()
                        .filter(job -> job.path(JobJson.STATE).asText().equals(state.label()))
                        .toList())
            .orElse(all);
    int from = request.parameter("after").map(id -> indexAfter(some, id)).orElse(0);
    int to = Math.min(some.size(), from + PageSize.of(request));
    ObjectNode page = JSON.objectNode();
    ArrayNode listed = page.putArray("jobs");
    some.subList(from, to).forEach(listed::add);
    if (to < some.size()) {
      page.put("next", some.get(to - 1).path(JobJson.ID).asText());
    }
    return ok(page);
  }

  private static int indexAfter(List<ObjectNode> jobs, String id) {
    for (int i = 0; i < jobs.size(); i++) {
      if (jobs.get(i).path(JobJson.ID).asText().equals(id)) {
        return i + 1;
      }
    }
    throw MoverException.of(
        ErrorCode.NO_SUCH_JOB,
        Side.PROXY,
        "'after' names job %s, which is not in this listing any more; start anew".formatted(id));
  }

  private ObjectNode health() {
    ObjectNode node = JSON.objectNode();
    ArrayNode warnings = JSON.arrayNode();
    history.trouble().ifPresent(warnings::add);
    node.put("status", warnings.isEmpty() ? "success" : "warning")
        .put("stopping", jobs.isStopping())
        .put("runningJobs", jobs.runningCount())
        .put("queuedJobs", jobs.queuedCount())
        .put("endedJobs", jobs.endedCount())
        .put("mostJobs", jobs.mostEverRunning());
    node.set("limits", limits.now().json());
    node.set("warnings", warnings);
    return node;
  }

  /** For whoever gives out work: 503 from the moment a stop was asked for. */
  private HttpReply ready() {
    boolean ready = !jobs.isStopping();
    return HttpReply.json(ready ? 200 : 503, JSON.objectNode().put("ready", ready).toString());
  }

  static String openApi() {
    return PackagedText.read("proxy-openapi.json");
  }
}
