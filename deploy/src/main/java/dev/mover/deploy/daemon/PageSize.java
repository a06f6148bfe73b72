package dev.mover.deploy.daemon;

import dev.mover.transport.http.HttpRequest;

/** How many items a page of a listing holds: the parameter {@code limit}. */
final class PageSize {
  static final int MOST = 200;

  private static final int DEFAULT = 50;

  private PageSize() {}

  static int of(HttpRequest request) {
    String text = request.parameter("limit").orElse(Integer.toString(DEFAULT));
    try {
      int limit = Integer.parseInt(text);
      if (limit >= 1 && limit <= MOST) {
        return limit;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw StrictJson.bad("'limit' takes 1 to %d, not '%s'".formatted(MOST, text));
  }
}
