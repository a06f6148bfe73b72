package dev.mover.transport.http;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.Side;

/** A request that never reaches its handler, with the reply it gets instead. */
final class HttpRefusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient HttpReply reply;

  private HttpRefusal(HttpReply reply) {
    super(reply.body(), null, false, false);
    this.reply = reply;
  }

  static HttpRefusal of(int status, ErrorCode code, String message) {
    return new HttpRefusal(HttpReply.error(status, code, Side.LINK, message));
  }

  static HttpRefusal badRequest(int status, String message) {
    return of(status, ErrorCode.BAD_USAGE, message);
  }

  static HttpRefusal busy(String message) {
    return of(503, ErrorCode.BUSY, message);
  }

  HttpReply reply() {
    return reply;
  }

  HttpRefusal with(String header, String value) {
    return new HttpRefusal(reply.with(header, value));
  }
}
