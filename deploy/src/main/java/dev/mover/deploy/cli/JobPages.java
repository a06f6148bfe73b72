package dev.mover.deploy.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mover.deploy.daemon.HttpCaller;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Reads a proxy's jobs page by page. */
final class JobPages {
  private JobPages() {}

  /** All jobs that {@code wanted} accepts; a proxy has at most about 1,300. */
  static List<JsonNode> all(HttpCaller caller, int page, Predicate<JsonNode> wanted) {
    List<JsonNode> jobs = new ArrayList<>();
    String from = "";
    while (true) {
      JsonNode reply = caller.get(ProxyOption.jobs() + "?limit=" + page + from);
      reply
          .path("jobs")
          .forEach(
              job -> {
                if (wanted.test(job)) {
                  jobs.add(job);
                }
              });
      if (!reply.has("next")) {
        return jobs;
      }
      from = "&after=" + reply.path("next").asText();
    }
  }
}
