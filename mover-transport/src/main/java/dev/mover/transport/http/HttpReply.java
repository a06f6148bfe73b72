package dev.mover.transport.http;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Retry;
import dev.mover.api.error.Side;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A whole reply.
 *
 * @param status an HTTP status
 * @param contentType for example {@code application/json}
 * @param body sent as UTF-8
 * @param headers further ones, such as {@code Location}
 */
public record HttpReply(int status, String contentType, String body, Map<String, String> headers)
    implements HttpAnswer {

  public HttpReply {
    headers = Map.copyOf(headers);
  }

  public static HttpReply json(int status, String body) {
    return new HttpReply(status, "application/json", body, Map.of());
  }

  public static HttpReply text(int status, String body) {
    return new HttpReply(status, "text/plain; charset=utf-8", body, Map.of());
  }

  /** {@code {"error":{code, name, side, message}}} with the status that fits the code. */
  public static HttpReply error(MoverException e) {
    return error(statusOf(e.code()), e.code(), e.side(), e.getMessage());
  }

  static HttpReply error(int status, ErrorCode code, Side side, String message) {
    return json(
        status,
        "{\"error\":{\"code\":%d,\"name\":\"%s\",\"side\":\"%s\",\"message\":%s}}"
            .formatted(
                code.number(), code.name(), side.name().toLowerCase(Locale.ROOT), quoted(message)));
  }

  /** This reply with one header more. */
  public HttpReply with(String header, String value) {
    return new HttpReply(
        status,
        contentType,
        body,
        Stream.concat(headers.entrySet().stream(), Stream.of(Map.entry(header, value)))
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
  }

  /**
   * 400: change the request; 403: not for web pages; 404: not there; 409: not now, for its state;
   * 503: later; else 500.
   */
  private static int statusOf(ErrorCode code) {
    return switch (code) {
      case FOREIGN_REQUEST -> 403;
      case NO_SUCH_POINT, NO_SUCH_DISK, NO_SUCH_JOB -> 404;
      case JOB_ENDED, MACHINE_BUSY, REPOSITORY_BUSY, TARGET_EXISTS, TARGET_BUSY, CANCELLED -> 409;
      case SOURCE_MISSING, SOURCE_UNSUPPORTED, NOT_A_REPOSITORY, TARGET_TOO_SMALL -> 400;
      case DOMAIN_NEEDED, WRONG_PASSWORD, KEY_DAMAGED, OTHER_DOMAIN -> 400;
      default -> code.number() / 100 == 1 ? 400 : code.retry() == Retry.NEVER ? 500 : 503;
    };
  }

  /** A JSON string; what is not ASCII or could move a cursor is escaped. */
  private static String quoted(String text) {
    StringBuilder json = new StringBuilder(text.length() + 16).append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        json.append('\\').append(c);
      } else if (c < 0x20 || c > 0x7e) {
        json.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        json.append(c);
      }
    }
    return json.append('"').toString();
  }
}
