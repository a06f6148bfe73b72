package dev.mover.transport.http;

import java.util.Map;
import java.util.Optional;

/**
 * One request as its handler sees it: whole, and within the endpoint's limits.
 *
 * @param method upper case; a HEAD comes as GET
 * @param path without the query, not decoded
 * @param variables what stands for {@code {name}} in the route's template, decoded, never empty
 * @param query decoded; of a parameter given twice, the first
 * @param body JSON text; empty when there is none
 */
public record HttpRequest(
    String method,
    String path,
    Map<String, String> variables,
    Map<String, String> query,
    String body) {

  public HttpRequest {
    variables = Map.copyOf(variables);
    query = Map.copyOf(query);
  }

  /** A variable of the route's template. */
  public String variable(String name) {
    String value = variables.get(name);
    if (value == null) {
      throw new IllegalArgumentException("the route has no {" + name + "}");
    }
    return value;
  }

  public Optional<String> parameter(String name) {
    return Optional.ofNullable(query.get(name));
  }
}
