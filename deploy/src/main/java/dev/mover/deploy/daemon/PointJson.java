package dev.mover.deploy.daemon;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mover.api.point.RestorePoint;
import java.time.Instant;

/**
 * A restore point as JSON. Field names are a promise (docs/command-line.md): they are only ever
 * added to.
 */
public final class PointJson {
  private PointJson() {}

  public static ObjectNode of(RestorePoint p) {
    ObjectNode root =
        JsonNodeFactory.instance
            .objectNode()
            .put("machine", p.machine().value())
            .put("point", p.sequence())
            .put("readable", p.isReadable())
            .put("createdAt", p.createdAt().toString())
            .put("fileId", p.fileId().toString())
            .put("sessionId", p.sessionId().toString())
            .put("blockSizeBytes", p.blockSize().bytes())
            .put("sizeBytes", p.sizeBytes())
            .put("fileBytes", p.fileBytes())
            .put("newBytes", p.newBytes())
            .put(
                "lastCheckedAt",
                p.checkedAt().equals(Instant.EPOCH) ? "" : p.checkedAt().toString());
    ArrayNode disks = root.putArray("disks");
    for (RestorePoint.Disk disk : p.disks()) {
      disks
          .addObject()
          .put("disk", disk.spec().name().value())
          .put("sizeBytes", disk.spec().sizeBytes())
          .put("sectorSize", disk.spec().sectorSize())
          .put("digest", disk.digest().toString());
    }
    return root;
  }
}
