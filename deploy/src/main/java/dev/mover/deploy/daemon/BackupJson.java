package dev.mover.deploy.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mover.api.status.LoadLine;
import dev.mover.api.status.Stage;
import dev.mover.api.status.StageFigures;
import dev.mover.proxy.BackupResult;
import dev.mover.proxy.pipeline.TaskFigures;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a finished backup did, as JSON. Field names are a promise (docs/command-line.md): they are
 * only ever added to. Bytes are plain numbers, times milliseconds, busy and wait times nanoseconds.
 */
public final class BackupJson {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private BackupJson() {}

  public static ObjectNode of(BackupResult r) {
    ObjectNode root =
        JSON.objectNode()
            .put("status", r.status().name().toLowerCase(Locale.ROOT))
            .put("machine", r.machine())
            .put("point", r.sequence())
            .put("fileId", r.fileId().toString())
            .put("repositoryMode", r.repositoryMode())
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
    root.set("load", load(r.load()));
    root.set("stages", stages(r.stages()));
    ArrayNode tasks = root.putArray("tasks");
    for (TaskFigures task : r.tasks()) {
      ObjectNode node = tasks.addObject().put("disk", task.disk());
      node.set("stages", stages(task.stages()));
    }
    ArrayNode warnings = root.putArray("warnings");
    r.warnings().forEach(warnings::add);
    return root;
  }

  /** Busy share of each stage in percent, the bottleneck, and what would bind next. */
  static ObjectNode load(LoadLine load) {
    ObjectNode node = JSON.objectNode();
    for (Stage stage : Stage.values()) {
      node.put(stage.label(), load.percent().getOrDefault(stage, 0));
    }
    node.put("bottleneck", load.bottleneck().label());
    double next = load.nextLimitBytesPerSec();
    if (Double.isFinite(next)) {
      node.put("nextLimit", load.nextLimit().label());
      node.put("nextLimitBytesPerSec", Math.round(next));
    }
    return node;
  }

  /** The busy shares that {@link #load} wrote; the rate is not in them. */
  public static @Nullable LoadLine loadOf(JsonNode node) {
    if (!node.isObject()) {
      return null; // nothing streams yet
    }
    Map<Stage, Integer> percent = new EnumMap<>(Stage.class);
    Map<Stage, Double> load = new EnumMap<>(Stage.class);
    for (Stage stage : Stage.values()) {
      int busy = node.path(stage.label()).asInt();
      percent.put(stage, busy);
      load.put(stage, busy / 100.0);
    }
    return new LoadLine(percent, 0, load);
  }

  private static ObjectNode stages(Map<Stage, StageFigures> stages) {
    ObjectNode node = JSON.objectNode();
    for (Stage stage : Stage.values()) {
      StageFigures f = stages.get(stage);
      if (f != null) {
        node.putObject(stage.label())
            .put("busyNs", f.busyNs())
            .put("inputWaitNs", f.inputWaitNs())
            .put("outputWaitNs", f.outputWaitNs())
            .put("bytes", f.bytes());
      }
    }
    return node;
  }
}
