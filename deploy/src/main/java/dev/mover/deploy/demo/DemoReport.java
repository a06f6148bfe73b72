package dev.mover.deploy.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mover.deploy.text.Amounts;
import dev.mover.deploy.text.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The table at the demo's end, made of what the processes reported. */
final class DemoReport {
  private final List<JsonNode> backups = new ArrayList<>();
  private Duration wall = Duration.ZERO;
  private int mostTasks;
  private int slots;
  private String mode = "";
  private int disksCompared;

  /** Takes what {@code mover backup --json} printed. */
  void backup(JsonNode result) {
    backups.add(result);
  }

  /** Adds time in which one or several backups ran side by side. */
  void took(Duration time) {
    wall = wall.plus(time);
  }

  /** Takes what {@code /health} answered at the end. */
  void health(JsonNode health) {
    mostTasks = health.path("mostTasks").asInt();
    slots = health.path("maxConcurrentTasks").asInt();
    mode = health.path("mode").asText();
  }

  void compared() {
    disksCompared++;
  }

  int mostTasks() {
    return mostTasks;
  }

  List<String> lines() {
    Table table =
        new Table(
            "BACKUP", ">DISK SIZE", ">READ", ">SENT", ">STORED", ">TIME", ">SPEED", ">REDUCED");
    for (JsonNode b : backups) {
      String name = b.path("machine").asText() + ", point " + b.path("point").asLong();
      row(table, name, List.of(b), Duration.ofMillis(b.path("totalMs").asLong()));
    }
    row(table, "all", backups, wall);
    List<String> lines = new ArrayList<>(table.lines());
    lines.add("");
    lines.add("Most tasks at once: " + mostTasks + " of " + slots + " task slots, for 4 disks.");
    lines.add("Repository: " + mode + ". Disks restored and equal: " + disksCompared + ".");
    return lines;
  }

  private static void row(Table table, String name, List<JsonNode> of, Duration time) {
    long size = sum(of, "sizeBytes");
    long stored = sum(of, "storedBytes");
    table.row(
        name,
        Amounts.bytes(size),
        Amounts.bytes(sum(of, "readBytes")),
        Amounts.bytes(sum(of, "sentBytes")),
        Amounts.bytes(stored),
        Amounts.time(time),
        Amounts.rate(size, time),
        Amounts.ratio(size, stored));
  }

  private static long sum(List<JsonNode> of, String field) {
    return of.stream().mapToLong(b -> b.path(field).asLong()).sum();
  }

  String json() {
    ObjectNode root =
        JsonNodeFactory.instance
            .objectNode()
            .put("status", "success")
            .put("mode", mode)
            .put("maxConcurrentTasks", slots)
            .put("mostTasks", mostTasks)
            .put("disksCompared", disksCompared);
    ArrayNode list = root.putArray("backups");
    backups.forEach(list::add);
    return root.toString();
  }
}
