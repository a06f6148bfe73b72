package dev.mover.deploy.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mover.api.point.RestorePoint;
import dev.mover.api.point.Verdict;
import dev.mover.proxy.BackupResult;
import dev.mover.proxy.RestoreResult;
import java.util.List;
import java.util.Locale;

/**
 * What {@code --json} prints. Field names are a promise (docs/command-line.md): they are only ever
 * added to. Bytes are plain numbers, times milliseconds, instants ISO 8601.
 */
final class JsonView {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private JsonView() {}

  static String error(int code, String name, String side, String message) {
    ObjectNode root = JSON.objectNode();
    root.putObject("error")
        .put("code", code)
        .put("name", name)
        .put("side", side)
        .put("message", message);
    return root.toString();
  }

  static String backup(BackupResult r) {
    ObjectNode root =
        JSON.objectNode()
            .put("status", r.status().name().toLowerCase(Locale.ROOT))
            .put("machine", r.machine())
            .put("point", r.sequence())
            .put("fileId", r.fileId().toString())
            .put("sizeBytes", r.sizeBytes())
            .put("readBytes", r.readBytes())
            .put("zeroBytes", r.zeroBytes())
            .put("knownBytes", r.knownBytes())
            .put("sentBytes", r.sentBytes())
            .put("sentPlainBytes", r.sentPlainBytes())
            .put("storedBytes", r.storedBytes())
            .put("linkedBytes", r.linkedBytes())
            .put("mostTasks", r.mostTasks())
            .put("queuedMs", r.queued().toMillis())
            .put("transferMs", r.transfer().toMillis())
            .put("totalMs", r.total().toMillis());
    strings(root.putArray("warnings"), r.warnings());
    return root.toString();
  }

  static String restore(RestoreResult r) {
    return JSON.objectNode()
        .put("status", "success")
        .put("machine", r.machine())
        .put("point", r.sequence())
        .put("disk", r.disk())
        .put("sizeBytes", r.sizeBytes())
        .put("writtenBytes", r.writtenBytes())
        .put("receivedBytes", r.receivedBytes())
        .put("totalMs", r.total().toMillis())
        .toString();
  }

  static String point(RestorePoint p) {
    ObjectNode root =
        JSON.objectNode()
            .put("machine", p.machine().value())
            .put("point", p.sequence())
            .put("createdAt", p.createdAt().toString())
            .put("fileId", p.fileId().toString())
            .put("sessionId", p.sessionId().toString())
            .put("blockSizeBytes", p.blockSize().bytes())
            .put("sizeBytes", p.sizeBytes())
            .put("fileBytes", p.fileBytes())
            .put("newBytes", p.newBytes());
    ArrayNode disks = root.putArray("disks");
    for (RestorePoint.Disk disk : p.disks()) {
      disks
          .addObject()
          .put("disk", disk.spec().name().value())
          .put("sizeBytes", disk.spec().sizeBytes())
          .put("sectorSize", disk.spec().sectorSize())
          .put("digest", disk.digest().toString());
    }
    return root.toString();
  }

  static String verdict(Verdict v) {
    ObjectNode root =
        JSON.objectNode()
            .put("machine", v.machine())
            .put("point", v.sequence())
            .put("outcome", v.outcome().name().toLowerCase(Locale.ROOT))
            .put("file", v.file())
            .put("blocksChecked", v.blocksChecked())
            .put("findingCount", v.findingCount());
    strings(root.putArray("findings"), v.findings());
    return root.toString();
  }

  private static void strings(ArrayNode into, List<String> values) {
    values.forEach(into::add);
  }
}
