package dev.mover.deploy.daemon;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mover.api.point.Partial;
import java.time.Instant;
import java.util.UUID;

/**
 * A partial as JSON. Field names are a promise (docs/command-line.md): they are only ever added to.
 */
public final class PartialJson {
  private static final UUID UNKNOWN = new UUID(0, 0);

  private PartialJson() {}

  public static ObjectNode of(Partial p) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("machine", p.machine().value())
        .put("file", p.file())
        .put("sessionId", p.sessionId().equals(UNKNOWN) ? "" : p.sessionId().toString())
        .put("begunAt", p.begunAt().equals(Instant.EPOCH) ? "" : p.begunAt().toString())
        .put("writtenAt", p.writtenAt().toString())
        .put("occupiedBytes", p.occupiedBytes())
        .put(
            "use",
            switch (p.use()) {
              case FREE -> "free";
              case SESSION -> "session";
              case UNKNOWN -> "unknown";
            });
  }
}
