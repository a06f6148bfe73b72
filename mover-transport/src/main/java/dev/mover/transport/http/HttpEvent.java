package dev.mover.transport.http;

/**
 * One server-sent event.
 *
 * @param id for {@code Last-Event-ID}; empty for none; one line
 * @param name its type; one line
 * @param data JSON text of any number of lines, at most {@link #MAX_DATA} characters
 */
public record HttpEvent(String id, String name, String data) {
  public static final int MAX_DATA = 256 << 10;

  public HttpEvent {
    if (hasLineEnd(id) || hasLineEnd(name)) {
      throw new IllegalArgumentException("an event's id and name are one line each");
    }
    if (data.length() > MAX_DATA) {
      throw new IllegalArgumentException("an event of " + data.length() + " characters");
    }
  }

  private static boolean hasLineEnd(String text) {
    return text.indexOf('\n') >= 0 || text.indexOf('\r') >= 0;
  }

  /** As it goes over the wire, with the empty line that ends it. */
  String text() {
    StringBuilder text = new StringBuilder(data.length() + 64);
    if (!id.isEmpty()) {
      text.append("id: ").append(id).append('\n');
    }
    text.append("event: ").append(name).append('\n');
    data.lines().forEach(line -> text.append("data: ").append(line).append('\n'));
    return text.append('\n').toString();
  }
}
