package dev.mover.deploy.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mover.deploy.text.Amounts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** A job for people, line by line; what comes from elsewhere can't move the cursor. */
final class JobText {
  private JobText() {}

  static List<String> of(JsonNode job) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "job %s is %s: machine %s to %s"
            .formatted(
                job.path("id").asText(),
                job.path("state").asText(),
                text(job, "machine"),
                text(job, "to")));
    for (JsonNode disk : job.path("disks")) {
      lines.add("  disk %s: %s".formatted(text(disk, "name"), text(disk, "path")));
    }
    for (String moment : List.of("createdAt", "startedAt", "endedAt")) {
      if (job.has(moment)) {
        lines.add("  %s %s".formatted(moment.replace("At", ""), moment(job.path(moment).asText())));
      }
    }
    if (job.has("queuePosition")) {
      lines.add("  " + waiting(job));
    }
    lines.addAll(outcome(job));
    return lines;
  }

  /** What came of it so far: progress, result, or why there is none. */
  static List<String> outcome(JsonNode job) {
    List<String> lines = new ArrayList<>();
    JsonNode result = job.path("result");
    if (result.isObject()) {
      lines.add(
          "  point %d: %s of disk in %s, read %s, sent %s, stored %s new"
              .formatted(
                  result.path("point").asLong(),
                  bytes(result, "sizeBytes"),
                  Amounts.time(Duration.ofMillis(result.path("totalMs").asLong())),
                  bytes(result, "readBytes"),
                  bytes(result, "sentBytes"),
                  bytes(result, "storedBytes")));
      ModeText.of(result.path("repositoryMode").asText()).ifPresent(line -> lines.add("  " + line));
      result
          .path("warnings")
          .forEach(warning -> lines.add("  warning: " + Failures.oneLine(warning.asText())));
    } else if (job.has("error")) {
      JsonNode error = job.path("error");
      lines.add(
          "  %s [code %s %d]"
              .formatted(text(error, "message"), text(error, "name"), error.path("code").asInt()));
    } else if (job.has("progress")) {
      JsonNode progress = job.path("progress");
      lines.add(
          "  %s %s %%, %s of %s %s"
              .formatted(
                  text(progress, "phase"),
                  progress.path("percent").asText(),
                  bytes(progress, "doneBytes"),
                  bytes(progress, "totalBytes"),
                  text(progress, "detail"))
              .stripTrailing());
    }
    return lines;
  }

  private static String bytes(JsonNode node, String field) {
    return Amounts.bytes(node.path(field).asLong());
  }

  private static String text(JsonNode node, String field) {
    return Failures.oneLine(node.path(field).asText());
  }

  /** Why a queued job waits, and where in the line. */
  static String waiting(JsonNode job) {
    return "%s, position %d"
        .formatted(
            Failures.oneLine(job.path("queueReason").asText()), job.path("queuePosition").asInt());
  }

  /** As a person near the reader's clock says it; what has not come yet is empty. */
  static String moment(String iso) {
    return iso.isEmpty() ? "" : Amounts.moment(Instant.parse(iso));
  }
}
