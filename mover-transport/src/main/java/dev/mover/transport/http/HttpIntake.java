package dev.mover.transport.http;

import dev.mover.api.error.ErrorCode;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.netty.http.server.HttpServerRequest;

/**
 * Turns what Reactor Netty received into an {@link HttpRequest}, or refuses it: bounded body,
 * strict UTF-8, decoded names.
 *
 * <p>A body must be {@code application/json}: a web page of another site can't send that without
 * asking, so a browser on the same host can't be made to give orders to a daemon.
 */
final class HttpIntake {
  /** Requests are orders for people's machines, not data. */
  static final int MAX_BODY_BYTES = 64 << 10;

  /** Read and dropped beyond that, so that the sender gets to see the answer. */
  private static final int MAX_DROPPED_BYTES = 1 << 20;

  private static final int MAX_PARAMETERS = 32;

  private final Duration within;

  HttpIntake(Duration within) {
    this.within = within;
  }

  /** The request once its body is there; fails with {@link HttpRefusal}. */
  Mono<HttpRequest> take(HttpServerRequest request, HttpRoutes.Match match) {
    QueryStringDecoder uri = decoder(request);
    Map<String, String> query = query(uri);
    Map<String, String> variables = variables(match);
    String method = request.method().name();
    if (method.equals("GET") || method.equals("HEAD") || method.equals("DELETE")) {
      return Mono.just(new HttpRequest(verb(method), uri.rawPath(), variables, query, ""));
    }
    return body(request)
        .map(body -> new HttpRequest(verb(method), uri.rawPath(), variables, query, body));
  }

  /** HEAD is GET to whoever answers. */
  static String verb(String method) {
    return method.equals("HEAD") ? "GET" : method;
  }

  static QueryStringDecoder decoder(HttpServerRequest request) {
    if (!request.uri().startsWith("/")) {
      throw HttpRefusal.badRequest(400, "a request names a path that begins with /");
    }
    return new QueryStringDecoder(request.uri(), StandardCharsets.UTF_8, true, MAX_PARAMETERS);
  }

  private static Map<String, String> query(QueryStringDecoder uri) {
    Map<String, String> query = new HashMap<>();
    try {
      uri.parameters().forEach((name, values) -> query.put(name, values.getFirst()));
    } catch (IllegalArgumentException e) {
      throw HttpRefusal.badRequest(400, "the query is not percent-encoded: " + e.getMessage());
    }
    return query;
  }

  private static Map<String, String> variables(HttpRoutes.Match match) {
    Map<String, String> decoded = new HashMap<>();
    try {
      match
          .variables()
          .forEach(
              (name, value) ->
                  decoded.put(name, QueryStringDecoder.decodeComponent(value.replace("+", "%2B"))));
    } catch (IllegalArgumentException e) {
      throw HttpRefusal.badRequest(400, "the path is not percent-encoded: " + e.getMessage());
    }
    return decoded;
  }

  private Mono<String> body(HttpServerRequest request) {
    if (announced(request) > MAX_DROPPED_BYTES) {
      throw tooLarge();
    }
    return request
        .receive()
        .asByteArray()
        .collect(Body::new, Body::add)
        .timeout(within)
        .onErrorMap(
            TimeoutException.class,
            _ ->
                HttpRefusal.of(
                    408, ErrorCode.DEADLINE_PASSED, "the request's body did not come in time"))
        .map(body -> body.text(request.requestHeaders().get("Content-Type")));
  }

  private static long announced(HttpServerRequest request) {
    try {
      return Long.parseLong(request.requestHeaders().get("Content-Length", "0"));
    } catch (NumberFormatException e) {
      throw HttpRefusal.badRequest(400, "Content-Length is not a number");
    }
  }

  private static HttpRefusal tooLarge() {
    return HttpRefusal.badRequest(413, "a body has at most " + MAX_BODY_BYTES + " bytes");
  }

  /** Keeps what may be kept and counts the rest. */
  private static final class Body {
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private long bytes;

    void add(byte[] part) {
      bytes += part.length;
      if (bytes > MAX_DROPPED_BYTES) {
        throw tooLarge();
      }
      if (bytes <= MAX_BODY_BYTES) {
        kept.writeBytes(part);
      }
    }

    String text(@Nullable String contentType) {
      if (bytes > MAX_BODY_BYTES) {
        throw tooLarge();
      }
      if (bytes > 0 && !isJson(contentType)) {
        throw HttpRefusal.badRequest(415, "a body must be sent as Content-Type: application/json");
      }
      try {
        return StandardCharsets.UTF_8
            .newDecoder()
            .decode(ByteBuffer.wrap(kept.toByteArray()))
            .toString();
      } catch (CharacterCodingException e) {
        throw HttpRefusal.badRequest(400, "the body is not UTF-8 text");
      }
    }

    private static boolean isJson(@Nullable String contentType) {
      return contentType != null
          && contentType
              .split(";", 2)[0]
              .strip()
              .toLowerCase(Locale.ROOT)
              .equals("application/json");
    }
  }
}
