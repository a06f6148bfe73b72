package dev.mover.transport.http;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What an endpoint answers: a handler for each method and path template. A template is a path whose
 * segments are words or {@code {names}}; a name stands for one segment that is not empty. Where two
 * templates fit, the one that was added first is taken. Immutable: every method gives a new table.
 */
public final class HttpRoutes {
  private static final HttpRoutes NONE = new HttpRoutes(List.of());

  private final List<Route> routes;

  private HttpRoutes(List<Route> routes) {
    this.routes = routes;
  }

  public static HttpRoutes none() {
    return NONE;
  }

  /** Answers GET, and HEAD without the body. */
  public HttpRoutes get(String template, HttpHandler handler) {
    return with("GET", template, handler);
  }

  public HttpRoutes post(String template, HttpHandler handler) {
    return with("POST", template, handler);
  }

  public HttpRoutes put(String template, HttpHandler handler) {
    return with("PUT", template, handler);
  }

  public HttpRoutes delete(String template, HttpHandler handler) {
    return with("DELETE", template, handler);
  }

  /** Every route as {@code GET /v1/jobs/{id}}, in the order they were added. */
  public List<String> list() {
    return routes.stream().map(route -> route.method + " " + route.template).toList();
  }

  private HttpRoutes with(String method, String template, HttpHandler handler) {
    if (!template.startsWith("/") || list().contains(method + " " + template)) {
      throw new IllegalArgumentException(method + " " + template + " is no path, or there already");
    }
    List<Route> more = new ArrayList<>(routes);
    more.add(new Route(method, template, segments(template), handler));
    return new HttpRoutes(List.copyOf(more));
  }

  /**
   * Finds who answers.
   *
   * @param path not decoded
   * @throws HttpRefusal 404 when no template fits the path, 405 when none does for the method
   */
  Match match(String method, String path) {
    List<String> segments = segments(path);
    TreeSet<String> allowed = new TreeSet<>();
    for (Route route : routes) {
      Map<String, String> variables = route.fit(segments);
      if (variables != null && route.method.equals(method)) {
        return new Match(route.handler, variables);
      }
      if (variables != null) {
        allowed.add(route.method);
      }
    }
    if (allowed.isEmpty()) {
      throw HttpRefusal.badRequest(404, "nothing is served here; check the path");
    }
    if (allowed.contains("GET")) {
      allowed.add("HEAD");
    }
    String allow = String.join(", ", allowed);
    throw HttpRefusal.badRequest(405, "this path answers " + allow + " only").with("Allow", allow);
  }

  /** Who answers, and what stands for the template's names; not decoded. */
  record Match(HttpHandler handler, Map<String, String> variables) {}

  private static List<String> segments(String path) {
    return List.of(path.split("/", -1));
  }

  private record Route(String method, String template, List<String> segments, HttpHandler handler) {

    /** What stands for each name; null when the path is another. */
    @Nullable Map<String, String> fit(List<String> path) {
      if (path.size() != segments.size()) {
        return null;
      }
      Map<String, String> variables = new HashMap<>();
      for (int i = 0; i < path.size(); i++) {
        String segment = segments.get(i);
        String value = path.get(i);
        if (segment.startsWith("{") && segment.endsWith("}") && !value.isEmpty()) {
          variables.put(segment.substring(1, segment.length() - 1), value);
        } else if (!segment.equals(value)) {
          return null;
        }
      }
      return variables;
    }
  }
}
