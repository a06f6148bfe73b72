package dev.mover.deploy.daemon;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mover.api.point.Partial;
import dev.mover.deploy.daemon.RepositoryConfig.ScrubPlan;
import dev.mover.repository.ExtentStatus;
import dev.mover.repository.RepositoryLimits;
import dev.mover.repository.RepositoryStatus;
import dev.mover.repository.serve.ScrubStatus;
import dev.mover.repository.session.SessionStatus;
import java.util.List;
import java.util.Set;

/**
 * What a repository's API says and takes. Field names are a promise ({@code /openapi.json}): they
 * are only ever added to.
 */
final class RepositoryJson {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private static final String TASKS = "maxConcurrentTasks";
  private static final String EXTENT_TASKS = "extentMaxConcurrentTasks";
  private static final String WRITE = "extentWriteMBps";
  private static final String READ = "extentReadMBps";

  private static final String SCRUB_DAYS = "scrubIntervalDays";
  private static final String SCRUB_RATE = "scrubMBps";

  /** What a change of limits may hold. */
  static final Set<String> LIMITS = Set.of(TASKS, EXTENT_TASKS, WRITE, READ);

  private RepositoryJson() {}

  static ObjectNode health(RepositoryStatus s, boolean stopping) {
    ObjectNode root =
        JSON.objectNode()
            .put("status", s.warnings().isEmpty() ? "success" : "warning")
            .put("stopping", stopping)
            .put("repositoryId", s.repositoryId().toString())
            .put("directory", s.directory().toString())
            .put("mode", s.mode())
            .put("capacityBytes", s.capacityBytes())
            .put("freeBytes", s.freeBytes())
            .put(TASKS, s.maxConcurrentTasks())
            .put("runningTasks", s.runningTasks())
            .put("queuedTasks", s.queuedTasks())
            .put("mostTasks", s.mostTasks())
            .put("sessions", s.sessions())
            .put("points", s.points());
    ArrayNode warnings = root.putArray("warnings");
    s.warnings().forEach(warnings::add);
    return root;
  }

  static ObjectNode sessions(List<SessionStatus> sessions) {
    ObjectNode root = JSON.objectNode();
    ArrayNode listed = root.putArray("sessions");
    for (SessionStatus s : sessions) {
      ObjectNode node =
          listed
              .addObject()
              .put("sessionId", s.sessionId().toString())
              .put("machine", s.machine())
              .put("peer", s.peer())
              .put("state", s.state());
      ArrayNode disks = node.putArray("disks");
      s.disks().forEach(disks::add);
      node.put("runningTasks", s.runningTasks())
          .put("queuedTasks", s.queuedTasks())
          .put("storedBytes", s.storedBytes())
          .put("since", s.since().toString());
    }
    return root;
  }

  static ObjectNode extents(List<ExtentStatus> extents, RepositoryLimits limits) {
    ObjectNode root = JSON.objectNode();
    ArrayNode listed = root.putArray("extents");
    for (ExtentStatus e : extents) {
      listed
          .addObject()
          .put("directory", e.directory().toString())
          .put("mode", e.mode())
          .put("capacityBytes", e.capacityBytes())
          .put("freeBytes", e.freeBytes())
          .put(EXTENT_TASKS, limits.extentMaxConcurrentTasks())
          .put(WRITE, limits.extentWriteMBps())
          .put(READ, limits.extentReadMBps());
    }
    return root;
  }

  static ObjectNode scrub(ScrubStatus s, int damagedBlocks) {
    String state =
        s.interval().isZero()
            ? "off"
            : s.reading().isEmpty() ? "idle" : s.yields() ? "yielding" : "reading";
    return JSON.objectNode()
        .put("state", state)
        .put("intervalSeconds", s.interval().toSeconds())
        .put("bytesPerSec", s.bytesPerSec())
        .put("file", s.reading().orElse(""))
        .put("readBytes", s.readBytes())
        .put("checkedPoints", s.checkedPoints())
        .put("damagedPoints", s.damagedPoints())
        .put("damagedBlocks", damagedBlocks)
        .put("lastRoundAt", s.lastRoundAt().map(Object::toString).orElse(""));
  }

  static ObjectNode partials(List<Partial> partials) {
    ObjectNode root = JSON.objectNode();
    ArrayNode listed = root.putArray("partials");
    partials.forEach(partial -> listed.add(PartialJson.of(partial)));
    return root;
  }

  static ObjectNode limits(RepositoryLimits limits) {
    return JSON.objectNode()
        .put(TASKS, limits.maxConcurrentTasks())
        .put(EXTENT_TASKS, limits.extentMaxConcurrentTasks())
        .put(WRITE, limits.extentWriteMBps())
        .put(READ, limits.extentReadMBps());
  }

  /**
   * Limits with what a body changes; what it leaves out stays.
   *
   * @throws dev.mover.api.error.InputException BAD_USAGE
   */
  static RepositoryLimits change(RepositoryLimits now, String body) {
    StrictJson json = StrictJson.parse(body, LIMITS);
    int mostRate = RepositoryLimits.MOST_MBPS;
    return new RepositoryLimits(
        json.number(TASKS, 1, RepositoryConfig.MOST_TASKS).orElse(now.maxConcurrentTasks()),
        json.number(EXTENT_TASKS, 0, RepositoryConfig.MOST_TASKS)
            .orElse(now.extentMaxConcurrentTasks()),
        json.number(WRITE, 0, mostRate).orElse(now.extentWriteMBps()),
        json.number(READ, 0, mostRate).orElse(now.extentReadMBps()));
  }

  /** A plan with what a body changes, as above. */
  static ScrubPlan change(ScrubPlan now, String body) {
    StrictJson json = StrictJson.parse(body, Set.of(SCRUB_DAYS, SCRUB_RATE));
    return new ScrubPlan(
        json.number(SCRUB_DAYS, 0, RepositoryConfig.MOST_DAYS).orElse(now.intervalDays()),
        json.number(SCRUB_RATE, 1, RepositoryLimits.MOST_MBPS).orElse(now.mbps()));
  }
}
