package dev.mover.deploy.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mover.api.point.Removal;
import dev.mover.api.point.RemovalMode;
import dev.mover.api.point.RestorePoint;
import dev.mover.api.point.Verdict;
import dev.mover.api.status.Status;
import dev.mover.deploy.daemon.BackupJson;
import dev.mover.deploy.daemon.PointJson;
import dev.mover.proxy.BackupResult;
import dev.mover.proxy.RestoreResult;
import dev.mover.transport.frame.Damage;
import dev.mover.transport.frame.Removed;
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
    return BackupJson.of(r).toString();
  }

  static String restore(RestoreResult r) {
    ObjectNode root =
        JSON.objectNode()
            .put("status", r.badBytes() == 0 ? "success" : "failed")
            .put("machine", r.machine())
            .put("point", r.sequence())
            .put("disk", r.disk())
            .put("sizeBytes", r.sizeBytes())
            .put("writtenBytes", r.writtenBytes())
            .put("receivedBytes", r.receivedBytes())
            .put("totalMs", r.total().toMillis())
            .put("badBytes", r.badBytes());
    ArrayNode bad = root.putArray("badRanges");
    r.badRanges()
        .forEach(
            range ->
                bad.addObject()
                    .put("disk", r.disk())
                    .put("offset", range.offset())
                    .put("length", range.length()));
    return root.toString();
  }

  static String point(RestorePoint p) {
    return PointJson.of(p).toString();
  }

  static String verdict(Verdict v, List<Damage> damage) {
    ObjectNode root =
        JSON.objectNode()
            .put("machine", v.machine())
            .put("point", v.sequence())
            .put("outcome", v.outcome().name().toLowerCase(Locale.ROOT))
            .put("file", v.file())
            .put("blocksChecked", v.blocksChecked())
            .put("findingCount", v.findingCount());
    strings(root.putArray("findings"), v.findings());
    ArrayNode blocks = root.putArray("damagedBlocks");
    for (Damage part : damage) {
      part.blocks()
          .forEach(
              block ->
                  blocks
                      .addObject()
                      .put("disk", part.disk().value())
                      .put("offset", block.offset())
                      .put("length", block.lengthBytes())
                      .put("block", block.id().toString()));
    }
    return root.toString();
  }

  static String removal(Removal r, RemovalMode mode) {
    ObjectNode root = JSON.objectNode().put("machine", r.machine());
    ArrayNode points = root.putArray("points");
    r.sequences().forEach(points::add);
    root.put("keptPoints", r.keptCount());
    if (mode.isDryRun()) {
      root.put("atLeastBytes", r.atLeastBytes()).put("atMostBytes", r.atMostBytes());
    }
    if (!r.problem().isEmpty()) {
      root.put("problem", r.problem());
    }
    return root.toString();
  }

  static String removed(
      Removed end, Status status, RemovalMode mode, long atLeastBytes, long atMostBytes) {
    ObjectNode root =
        JSON.objectNode()
            .put("status", status.name().toLowerCase(Locale.ROOT))
            .put("dryRun", mode.isDryRun())
            .put("deletedPoints", end.points());
    switch (mode) {
      case DELETE -> root.put("freedBytes", end.freedBytes());
      case ESTIMATE -> root.put("atLeastBytes", atLeastBytes).put("atMostBytes", atMostBytes);
      case EXACT -> root.put("exactBytes", end.freedBytes());
    }
    return root.toString();
  }

  private static void strings(ArrayNode into, List<String> values) {
    values.forEach(into::add);
  }
}
