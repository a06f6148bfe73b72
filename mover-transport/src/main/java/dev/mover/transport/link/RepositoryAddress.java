package dev.mover.transport.link;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a repository listens: {@code mover://host[:port]}, an IPv6 literal in brackets.
 *
 * @param host name or literal, without brackets
 * @param port 1 to 65535
 */
public record RepositoryAddress(String host, int port) {
  public static final String SCHEME = "mover://";

  public static final int DEFAULT_PORT = 7700;

  private static final Pattern FORM =
      Pattern.compile(
          "mover://(?:\\[([0-9A-Fa-f:.]+(?:%[^\\]\\s]+)?)]|([^\\[\\]:/@?#\\s]+))(?::(\\d{1,5}))?/?");

  /** Whether a person means a repository daemon by this text, right or wrong. */
  public static boolean isMeantBy(String text) {
    return text.startsWith(SCHEME);
  }

  /**
   * Reads {@code mover://host[:port]}.
   *
   * @throws InputException BAD_ADDRESS
   */
  public static RepositoryAddress parse(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw bad(text, "");
    }
    String literal = form.group(1);
    if (literal != null && literal.indexOf(':') < 0) {
      throw bad(text, " (brackets are for IPv6 addresses)");
    }
    int port = form.group(3) == null ? DEFAULT_PORT : Integer.parseInt(form.group(3));
    if (port < 1 || port > 65535) {
      throw bad(text, " (a port is 1 to 65535)");
    }
    return new RepositoryAddress(literal != null ? literal : form.group(2), port);
  }

  /** Host and port as they stand in an address, an IPv6 literal in brackets. */
  public static String authority(String host, int port) {
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }

  /** A socket's address, {@code 192.0.2.1:7700} or {@code [::1]:7700}. */
  public static String authority(InetSocketAddress address) {
    String host =
        address.isUnresolved() ? address.getHostString() : address.getAddress().getHostAddress();
    return authority(host, address.getPort());
  }

  @Override
  public String toString() {
    return SCHEME + authority(host, port);
  }

  private static InputException bad(String text, String why) {
    return new InputException(
        ErrorCode.BAD_ADDRESS,
        "%s is not a repository address%s; write mover://host, mover://host:port or mover://[::1]:%d"
            .formatted(text, why, DEFAULT_PORT));
  }
}
