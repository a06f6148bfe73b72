package dev.mover.deploy.daemon;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.api.error.LinkException;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Calls a daemon's HTTP API for the command line: blocking, JSON both ways. An error reply becomes
 * the {@link MoverException} it stands for. {@code HttpURLConnection} rather than the newer client,
 * because it notices a server that goes silent in the middle of an event stream.
 */
public final class HttpCaller {
  private static final int CONNECT_MS = 10_000;

  /** Twice a daemon's heartbeat, and some. */
  private static final int SILENCE_MS = 40_000;

  /** The largest reply is a page of 200 jobs. */
  private static final int MOST_REPLY_BYTES = 16 << 20;

  private static final int MOST_EVENT_CHARS = 1 << 20;
  private static final String EVENT = "event: ";
  private static final String DATA = "data: ";
  private static final JsonMapper MAPPER = new JsonMapper();

  private final URI base;

  /**
   * Calls nothing yet.
   *
   * @param base for example {@code http://127.0.0.1:7702}
   * @throws InputException BAD_ADDRESS
   */
  public HttpCaller(String base) {
    try {
      this.base = new URI(base);
    } catch (URISyntaxException e) {
      throw badAddress(base);
    }
    boolean plain =
        "http".equals(this.base.getScheme())
            && this.base.getHost() != null
            && this.base.getRawQuery() == null
            && ("".equals(this.base.getRawPath()) || "/".equals(this.base.getRawPath()));
    if (!plain) {
      throw badAddress(base);
    }
  }

  private static InputException badAddress(String base) {
    return new InputException(
        ErrorCode.BAD_ADDRESS,
        "'" + base + "' is no address of a daemon's API; write http://host:port");
  }

  public JsonNode get(String path) {
    return call("GET", path, "");
  }

  public JsonNode post(String path, String json) {
    return call("POST", path, json);
  }

  public JsonNode put(String path, String json) {
    return call("PUT", path, json);
  }

  public JsonNode delete(String path) {
    return call("DELETE", path, "");
  }

  private JsonNode call(String method, String path, String body) {
    try {
      HttpURLConnection connection = open(method, path);
      if (!body.isEmpty()) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        connection.setDoOutput(true);
        connection.setRequestProperty("Content-Type", "application/json");
        // Also keeps the JDK from sending an order twice when the connection breaks.
        connection.setFixedLengthStreamingMode(bytes.length);
        try (OutputStream out = connection.getOutputStream()) {
          out.write(bytes);
        }
      }
      return reply(connection);
    } catch (IOException e) {
      throw lost(e);
    }
  }

  private HttpURLConnection open(String method, String path) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) base.resolve(path).toURL().openConnection();
    connection.setRequestMethod(method);
    connection.setConnectTimeout(CONNECT_MS);
    connection.setReadTimeout(SILENCE_MS);
    connection.setInstanceFollowRedirects(false);
    return connection;
  }

  private JsonNode reply(HttpURLConnection connection) throws IOException {
    int status = connection.getResponseCode();
    InputStream stream = status < 400 ? connection.getInputStream() : connection.getErrorStream();
    JsonNode json = MissingNode.getInstance();
    if (stream != null) {
      try (stream) {
        json = parse(stream.readNBytes(MOST_REPLY_BYTES));
      }
    }
    if (status >= 300) {
      throw refused(status, json);
    }
    return json;
  }

  private JsonNode parse(byte[] bytes) throws IOException {
    try {
      return MAPPER.readTree(bytes);
    } catch (JsonProcessingException e) {
      throw new LinkException(
          ErrorCode.NOT_A_MOVER, "what answers at " + base + " is not a mover's API", e);
    }
  }

  private MoverException refused(int status, JsonNode json) {
    JsonNode error = json.path("error");
    if (status == HttpURLConnection.HTTP_NOT_FOUND
        && error.path("code").asInt() == ErrorCode.BAD_USAGE.number()) {
      return notAProxy("serves no jobs", null);
    }
    String side = error.path("side").asText().toUpperCase(Locale.ROOT);
    return ErrorCode.of(error.path("code").asInt())
        .map(
            code ->
                MoverException.of(
                    code,
                    Arrays.stream(Side.values())
                        .filter(s -> s.name().equals(side))
                        .findFirst()
                        .orElse(Side.LINK),
                    error.path("message").asText()))
        .orElseGet(
            () ->
                new LinkException(
                    ErrorCode.NOT_A_MOVER,
                    "what answers at "
                        + base
                        + " with status "
                        + status
                        + " is not a mover's API"));
  }

  private LinkException notAProxy(String why, @Nullable IOException e) {
    return new LinkException(
        ErrorCode.NOT_A_MOVER,
        "what answers at %s %s, so it is no proxy daemon; its port is 7702 unless its configuration says otherwise"
            .formatted(base, why),
        e);
  }

  private LinkException lost(IOException e) {
    if (e instanceof java.net.ConnectException
        || e instanceof java.net.UnknownHostException
        || e instanceof java.net.NoRouteToHostException) {
      return new LinkException(
          ErrorCode.CONNECT_FAILED,
          "no proxy answers at %s: %s; is 'mover proxy' running, and the address right?"
              .formatted(base, e.getMessage()),
          e);
    }
    if ("Invalid Http response".equals(e.getMessage())) {
      return notAProxy("speaks no HTTP", e);
    }
    return new LinkException(
        e instanceof SocketTimeoutException ? ErrorCode.DEADLINE_PASSED : ErrorCode.LINK_LOST,
        "the connection to %s broke: %s".formatted(base, e.getMessage()),
        e);
  }

  /** Takes one event; false: no more is wanted. */
  @FunctionalInterface
  public interface EventReader {
    boolean on(String name, JsonNode data);
  }

  /**
   * Reads server-sent events until the reader has enough or the server ends them.
   *
   * @throws LinkException DEADLINE_PASSED when not even a heartbeat comes
   */
  public void events(String path, EventReader reader) {
    HttpURLConnection connection = null;
    try {
      connection = open("GET", path);
      if (connection.getResponseCode() != 200) {
        reply(connection);
        return;
      }
      try (BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8))) {
        read(lines, reader);
      }
    } catch (IOException e) {
      throw lost(e);
    } finally {
      if (connection != null) {
        connection.disconnect();
      }
    }
  }

  private void read(BufferedReader lines, EventReader reader) throws IOException {
    String name = "message";
    StringBuilder data = new StringBuilder();
    String line;
    while ((line = lines.readLine()) != null) {
      if (line.isEmpty() && !data.isEmpty()) {
        if (!hand(reader, name, data.toString())) {
          return;
        }
        data.setLength(0);
        name = "message";
      } else if (line.startsWith(EVENT)) {
        name = line.substring(EVENT.length());
      } else if (line.startsWith(DATA)) {
        if (data.length() + line.length() > MOST_EVENT_CHARS) {
          throw new LinkException(ErrorCode.FRAME_TOO_LARGE, base + " sends too long an event");
        }
        data.append(line, DATA.length(), line.length()).append('\n');
      }
    }
  }

  private boolean hand(EventReader reader, String name, String data) throws IOException {
    JsonNode json = parse(data.getBytes(StandardCharsets.UTF_8));
    if (name.equals("error")) {
      throw refused(200, json);
    }
    return reader.on(name, json);
  }
}
