package dev.mover.deploy.cli;

import dev.mover.deploy.daemon.HttpCaller;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.Option;

/** Which proxy the commands of {@code mover jobs} talk to. */
final class ProxyOption {
  private static final String JOBS = "/v1/jobs";

  @Option(
      names = "--proxy",
      paramLabel = "URL",
      description = "The proxy's HTTP address (default: ${DEFAULT-VALUE}).",
      defaultValue = "http://127.0.0.1:7702")
  private String url = "";

  HttpCaller caller() {
    return new HttpCaller(url);
  }

  static String jobs() {
    return JOBS;
  }

  /** The path of one job, whatever somebody typed for its id. */
  static String job(String id) {
    return JOBS + "/" + URLEncoder.encode(id, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
