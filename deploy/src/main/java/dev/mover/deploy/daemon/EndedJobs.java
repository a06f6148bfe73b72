package dev.mover.deploy.daemon;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The jobs that ended last, as they are shown: at most {@value #MOST_JOBS}, and at most {@value
 * #MOST_CHARS} characters of JSON; the oldest go. Not thread-safe.
 */
final class EndedJobs {
  static final int MOST_JOBS = 200;
  static final long MOST_CHARS = 4 << 20;

  private record Ended(ObjectNode json, int chars) {}

  /** Oldest first. */
  private final Map<String, Ended> byId = new LinkedHashMap<>();

  private long chars;

  void add(ObjectNode job) {
    Ended ended = new Ended(job, job.toString().length());
    Ended before = byId.put(job.path(JobJson.ID).asText(), ended);
    chars += ended.chars() - (before == null ? 0 : before.chars());
    var oldest = byId.values().iterator();
    while (byId.size() > MOST_JOBS || (chars > MOST_CHARS && byId.size() > 1)) {
      chars -= oldest.next().chars();
      oldest.remove();
    }
  }

  Optional<ObjectNode> find(String id) {
    return Optional.ofNullable(byId.get(id)).map(Ended::json);
  }

  int size() {
    return byId.size();
  }

  List<ObjectNode> newestFirst() {
    List<ObjectNode> jobs = new ArrayList<>(byId.size());
    byId.values().forEach(ended -> jobs.add(ended.json()));
    return jobs.reversed();
  }
}
