package dev.mover.transport.http;

/** Answers one route. Runs on the endpoint's handler threads, so it may block for a moment. */
@FunctionalInterface
public interface HttpHandler {
  /**
   * Answers a request. A {@link dev.mover.api.error.MoverException} becomes the reply that {@link
   * HttpReply#error} makes of it; anything else thrown is logged and becomes a 500 with code
   * INTERNAL.
   */
  HttpAnswer answer(HttpRequest request);
}
