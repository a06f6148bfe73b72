package dev.mover.transport.http;

import dev.mover.api.error.ErrorCode;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Refuses what a web page of another site may have made a browser near the daemon send.
 *
 * <p>A page can have its own name resolve to the daemon's address (DNS rebinding) and then counts
 * as the daemon's own page; but the browser still sends that name as {@code Host}. So {@code Host}
 * must be an IP address, which no page can make its own, or a name that the daemon goes by: {@code
 * localhost}, the name it listens on, the host's name. A request that says which page it comes from
 * ({@code Origin}) must come from the daemon itself.
 */
final class SiteCheck {
  private static final Pattern HOST =
      Pattern.compile("(?:\\[([^\\[\\]]+)]|([^:\\[\\]]+))(?::\\d{1,5})?");
  private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");
  private static final int SHOWN_CHARS = 100;

  private final Set<String> names;

  private SiteCheck(Set<String> names) {
    this.names = names;
  }

  /**
   * For a daemon of this host.
   *
   * @param listenHost name or address it listens on
   */
  static SiteCheck of(String listenHost) {
    Set<String> names = new HashSet<>(List.of("localhost", lower(listenHost)));
    try {
      names.add(lower(Files.readString(HOST_NAME).strip()));
    } catch (IOException e) {
      // a host without a name is called by its address
    }
    return new SiteCheck(Set.copyOf(names));
  }

  /**
   * Lets a request pass, or not.
   *
   * @throws HttpRefusal 403
   */
  void check(HttpHeaders headers) {
    List<String> hosts = headers.getAll(HttpHeaderNames.HOST);
    String host = hosts.size() == 1 ? lower(hosts.getFirst()) : "";
    if (!isOwn(host)) {
      throw refused(
          "this daemon does not go by the name '%s'; call it by its address"
              .formatted(shown(String.join(", ", hosts))));
    }
    for (String origin : headers.getAll(HttpHeaderNames.ORIGIN)) {
      if (!isSite(lower(origin), host)) {
        throw refused(
            "this daemon takes no requests of the web page at '%s'".formatted(shown(origin)));
      }
    }
  }

  private boolean isOwn(String host) {
    Matcher form = HOST.matcher(host);
    if (!form.matches()) {
      return false;
    }
    return form.group(1) != null
        ? NetUtil.isValidIpV6Address(form.group(1))
        : names.contains(form.group(2)) || NetUtil.isValidIpV4Address(form.group(2));
  }

  /** Behind a TLS proxy the page's scheme is another than the daemon's. */
  private static boolean isSite(String origin, String host) {
    return origin.equals("http://" + host) || origin.equals("https://" + host);
  }

  private static HttpRefusal refused(String message) {
    return HttpRefusal.of(403, ErrorCode.FOREIGN_REQUEST, message);
  }

  private static String shown(String text) {
    return text.length() <= SHOWN_CHARS ? text : text.substring(0, SHOWN_CHARS) + "…";
  }

  private static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }
}
