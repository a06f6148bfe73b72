package dev.mover.deploy.daemon;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mover.api.point.Name;
import dev.mover.api.point.Partial;
import dev.mover.api.point.RestorePoint;
import dev.mover.deploy.daemon.RepositoryConfig.ScrubPlan;
import dev.mover.deploy.text.PackagedText;
import dev.mover.repository.Repository;
import dev.mover.repository.serve.Scrub;
import dev.mover.transport.http.HttpReply;
import dev.mover.transport.http.HttpRequest;
import dev.mover.transport.http.HttpRoutes;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The repository's HTTP API; {@code /openapi.json} describes it, and a test holds the two together.
 */
final class RepositoryApi {
  static final String HEALTH = "/health";

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

  /** Where a page ended: a sequence and a machine, which may hold any character. */
  private static final Pattern CURSOR = Pattern.compile("(\\d{1,19}):(.+)", Pattern.DOTALL);

  private final RepositoryState state;
  private final RepositoryMetrics metrics;

  /** Changes are made one after the other, so that none is lost. */
  private final Object changing = new Object();

  RepositoryApi(RepositoryState state, RepositoryMetrics metrics) {
    this.state = state;
    this.metrics = metrics;
  }

  HttpRoutes routes() {
    return HttpRoutes.none()
        .get("/v1/sessions", _ -> ok(RepositoryJson.sessions(repository().sessions())))
        .get("/v1/extents", _ -> extents())
        .get("/v1/points", this::points)
        .get("/v1/partials", this::partials)
        .delete("/v1/partials/{machine}", this::removePartials)
        .get("/v1/limits", _ -> ok(RepositoryJson.limits(repository().limits())))
        .put("/v1/limits", this::changeLimits)
        .get("/v1/scrub", _ -> scrub())
        .put("/v1/scrub", this::changeScrub)
        .get(HEALTH, _ -> ok(RepositoryJson.health(repository().status(), state.isStopping())))
        .get("/ready", _ -> ready())
        .get("/metrics", _ -> new HttpReply(200, PROMETHEUS, metrics.scrape(), Map.of()))
        .get("/openapi.json", _ -> HttpReply.json(200, openApi()));
  }

  private Repository repository() {
    return state.repository();
  }

  private static HttpReply ok(ObjectNode body) {
    return HttpReply.json(200, body.toString());
  }

  private HttpReply extents() {
    Repository open = repository();
    return ok(RepositoryJson.extents(open.extents(), open.limits()));
  }

  private HttpReply scrub() {
    Repository open = repository();
    return ok(RepositoryJson.scrub(open.scrub().status(), open.damagedBlocks()));
  }

  private HttpReply points(HttpRequest request) {
    String machine = request.parameter("machine").map(m -> new Name(m).value()).orElse("");
    int limit = PageSize.of(request);
    Cursor after = request.parameter("after").map(Cursor::parse).orElse(Cursor.START);
    List<RestorePoint> found =
        repository().points(machine, after.machine, after.sequence, limit + 1);
    ObjectNode page = JSON.objectNode();
    ArrayNode listed = page.putArray("points");
    List<RestorePoint> shown = found.subList(0, Math.min(limit, found.size()));
    shown.forEach(point -> listed.add(PointJson.of(point)));
    if (found.size() > limit) {
      page.put("next", Cursor.of(shown.getLast()).toString());
    }
    return ok(page);
  }

  private HttpReply partials(HttpRequest request) {
    String machine = request.parameter("machine").map(m -> new Name(m).value()).orElse("");
    int limit = PageSize.of(request);
    String after = request.parameter("after").orElse("");
    List<Partial> found = repository().partials().after(machine, after, limit + 1);
    List<Partial> shown = found.subList(0, Math.min(limit, found.size()));
    ObjectNode page = RepositoryJson.partials(shown);
    if (found.size() > limit) {
      page.put("next", shown.getLast().file());
    }
    return ok(page);
  }

  private HttpReply removePartials(HttpRequest request) {
    Name machine = new Name(request.variable("machine"));
    return ok(RepositoryJson.partials(repository().removePartials(machine, "the HTTP API")));
  }

  private record Cursor(long sequence, String machine) {
    static final Cursor START = new Cursor(0, "");

    static Cursor of(RestorePoint point) {
      return new Cursor(point.sequence(), point.machine().value());
    }

    static Cursor parse(String text) {
      Matcher form = CURSOR.matcher(text);
      try {
        if (form.matches()) {
          return new Cursor(Long.parseLong(form.group(1)), form.group(2));
        }
      } catch (NumberFormatException e) {
        // said below
      }
      throw StrictJson.bad("'after' takes what 'next' of the page before says, not '" + text + "'");
    }

    @Override
    public String toString() {
      return sequence + ":" + machine;
    }
  }

  private HttpReply changeLimits(HttpRequest request) {
    Repository open = repository();
    synchronized (changing) {
      open.limit(RepositoryJson.change(open.limits(), request.body()));
      return ok(RepositoryJson.limits(open.limits()));
    }
  }

  private HttpReply changeScrub(HttpRequest request) {
    Scrub scrub = repository().scrub();
    synchronized (changing) {
      ScrubPlan plan = RepositoryJson.change(ScrubPlan.of(scrub.status()), request.body());
      scrub.plan(plan.interval(), plan.bytesPerSec());
      return scrub();
    }
  }

  /** For whoever gives out work: 503 while it starts and from the moment a stop was asked for. */
  private HttpReply ready() {
    boolean ready = state.isReady();
    return HttpReply.json(ready ? 200 : 503, JSON.objectNode().put("ready", ready).toString());
  }

  static String openApi() {
    return PackagedText.read("repository-openapi.json");
  }
}
