package dev.mover.deploy.wiring;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a daemon listens.
 *
 * @param host name or address; an IPv6 address without its brackets
 * @param port 0 to 65535; 0 lets the system choose
 */
public record HostPort(String host, int port) {
  private static final Pattern FORM =
      Pattern.compile("(?:\\[([0-9A-Fa-f:.%\\w]+)]|([^:\\[\\]\\s/]+)):(\\d{1,5})");

  /** Reads {@code host:port} or {@code [v6]:port}; empty when it is neither. */
  public static Optional<HostPort> parse(String text) {
    Matcher m = FORM.matcher(text);
    if (!m.matches() || Integer.parseInt(m.group(3)) > 65_535) {
      return Optional.empty();
    }
    String host = m.group(1) != null ? m.group(1) : m.group(2);
    return Optional.of(new HostPort(host, Integer.parseInt(m.group(3))));
  }

  public HostPort withPort(int other) {
    return new HostPort(host, other);
  }

  @Override
  public String toString() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }
}
