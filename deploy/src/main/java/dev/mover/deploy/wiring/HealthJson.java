package dev.mover.deploy.wiring;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mover.repository.RepositoryStatus;

/** What {@code GET /health} answers; field names are a promise (docs/command-line.md). */
final class HealthJson {
  private HealthJson() {}

  static String of(RepositoryStatus s) {
    ObjectNode root =
        JsonNodeFactory.instance
            .objectNode()
            .put("status", s.warnings().isEmpty() ? "success" : "warning")
            .put("repositoryId", s.repositoryId().toString())
            .put("directory", s.directory().toString())
            .put("mode", s.mode())
            .put("capacityBytes", s.capacityBytes())
            .put("freeBytes", s.freeBytes())
            .put("maxConcurrentTasks", s.maxConcurrentTasks())
            .put("runningTasks", s.runningTasks())
            .put("queuedTasks", s.queuedTasks())
            .put("mostTasks", s.mostTasks())
            .put("sessions", s.sessions())
            .put("points", s.points());
    ArrayNode warnings = root.putArray("warnings");
    s.warnings().forEach(warnings::add);
    return root.toString();
  }
}
