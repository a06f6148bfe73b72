package dev.mover.transport.http;

/**
 * What a route answers.
 *
 * @param status an HTTP status
 * @param contentType for example {@code application/json}
 * @param body sent as UTF-8
 */
public record HttpReply(int status, String contentType, String body) {
  public static HttpReply json(int status, String body) {
    return new HttpReply(status, "application/json", body);
  }

  public static HttpReply text(int status, String body) {
    return new HttpReply(status, "text/plain; charset=utf-8", body);
  }
}
