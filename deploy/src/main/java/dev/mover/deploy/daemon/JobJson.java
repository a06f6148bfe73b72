package dev.mover.deploy.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mover.api.error.MoverException;
import dev.mover.proxy.BackupResult;
import dev.mover.proxy.Progress;
import dev.mover.transport.http.HttpEvent;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Jobs as the API shows them and the history keeps them. Field names are a promise
 * (proxy-openapi.json): they are only ever added to.
 */
final class JobJson {
  static final String ID = "id";
  static final String STATE = "state";
  static final String ERROR = "error";
  static final String ENDED_AT = "endedAt";

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** What a listing shows of a job; the rest may be long. */
  private static final List<String> IN_LISTINGS =
      List.of(
          ID,
          STATE,
          "machine",
          "to",
          "createdAt",
          "startedAt",
          ENDED_AT,
          "queuePosition",
          "queueReason",
          "progress",
          ERROR);

  private JobJson() {}

  /** A job at one moment. */
  record View(
      String id,
      JobState state,
      JobRequest request,
      Instant createdAt,
      @Nullable Instant startedAt,
      @Nullable Instant endedAt,
      @Nullable Progress progress,
      @Nullable BackupResult result,
      @Nullable MoverException error) {}

  static ObjectNode job(View job) {
    ObjectNode node = JSON.objectNode().put(ID, job.id()).put(STATE, job.state().label());
    request(node, job.request());
    node.put("createdAt", job.createdAt().toString());
    if (job.startedAt() != null) {
      node.put("startedAt", job.startedAt().toString());
    }
    if (job.endedAt() != null) {
      node.put(ENDED_AT, job.endedAt().toString());
    }
    if (job.progress() != null) {
      node.set("progress", progress(job.progress()));
    }
    if (job.result() != null) {
      node.set("result", BackupJson.of(job.result()));
    }
    if (job.error() != null) {
      node.set(ERROR, error(job.error()));
    }
    return node;
  }

  private static void request(ObjectNode node, JobRequest request) {
    node.put("machine", request.machine().value())
        .put("to", request.to())
        .put("blockSize", request.blockSize().label())
        .put("compression", request.compression().name().toLowerCase(Locale.ROOT));
    if (request.slots() > 0) {
      node.put("slots", request.slots());
    }
    if (request.raw()) {
      node.put("raw", true);
    }
    ArrayNode disks = node.putArray("disks");
    for (JobRequest.Disk disk : request.disks()) {
      disks.addObject().put("name", disk.name().value()).put("path", disk.path().toString());
    }
  }

  private static ObjectNode progress(Progress p) {
    ObjectNode node =
        JSON.objectNode()
            .put("phase", p.phase())
            .put("percent", Math.round(p.percent() * 100) / 100.0)
            .put("doneBytes", p.doneBytes())
            .put("totalBytes", p.totalBytes())
            .put("sentBytes", p.sentBytes())
            .put("tasks", p.tasks())
            .put("detail", p.detail());
    if (p.load() != null) {
      node.set("load", BackupJson.load(p.load()));
    }
    return node;
  }

  static ObjectNode error(MoverException e) {
    return JSON.objectNode()
        .put("code", e.code().number())
        .put("name", e.code().name())
        .put("side", e.side().name().toLowerCase(Locale.ROOT))
        .put("message", e.getMessage());
  }

  /** What a listing shows of a {@link #job}. */
  static ObjectNode summary(ObjectNode job) {
    ObjectNode node = JSON.objectNode();
    for (String field : IN_LISTINGS) {
      JsonNode value = job.get(field);
      if (value != null) {
        node.set(field, value);
      }
    }
    JsonNode point = job.path("result").get("point");
    if (point != null) {
      node.set("point", point);
    }
    return node.put("diskCount", job.path("disks").size());
  }

  static HttpEvent stateEvent(String id, JobState state) {
    ObjectNode node = JSON.objectNode().put(ID, id).put(STATE, state.label());
    return new HttpEvent("", "state", node.toString());
  }

  static HttpEvent progressEvent(String id, Progress progress) {
    ObjectNode node = JSON.objectNode().put(ID, id);
    node.setAll(progress(progress));
    return new HttpEvent("", "progress", node.toString());
  }

  /** The last event: the whole job. */
  static HttpEvent resultEvent(ObjectNode job) {
    return new HttpEvent("", "result", job.toString());
  }

  /** Events of a job that ended before anybody watched. */
  static List<HttpEvent> endedEvents(ObjectNode job) {
    JobState state = JobState.named(job.path(STATE).asText());
    return List.of(stateEvent(job.path(ID).asText(), state), resultEvent(job));
  }
}
