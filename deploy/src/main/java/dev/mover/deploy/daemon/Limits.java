package dev.mover.deploy.daemon;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mover.proxy.LinkRule;
import java.util.Set;

/**
 * What may run at once, and how fast; changed while the daemon runs, and as configured again after
 * a restart.
 *
 * @param maxConcurrentTasks task slots: most disks at once, over all jobs
 * @param maxConcurrentJobs most machines at once
 * @param linkMBps most MB/s (10^6 bytes) on all links together, beside the configured {@code
 *     linkLimits}; 0: none
 */
record Limits(int maxConcurrentTasks, int maxConcurrentJobs, int linkMBps) {
  private static final String TASKS = "maxConcurrentTasks";
  private static final String JOBS = "maxConcurrentJobs";
  private static final String LINK = "linkMBps";
  static final Set<String> FIELDS = Set.of(TASKS, JOBS, LINK);

  /**
   * These limits with what a body changes; what it leaves out stays.
   *
   * @param mostTasks what the proxy's memory is shared out by
   * @throws dev.mover.api.error.InputException BAD_USAGE
   */
  Limits with(String body, int mostTasks) {
    StrictJson json = StrictJson.parse(body, FIELDS);
    return new Limits(
        json.number(TASKS, 1, mostTasks).orElse(maxConcurrentTasks),
        json.number(JOBS, 1, JobBook.MOST_RUNNING).orElse(maxConcurrentJobs),
        json.number(LINK, 0, LinkRule.MOST_MBPS).orElse(linkMBps));
  }

  ObjectNode json() {
    return JsonNodeFactory.instance
        .objectNode()
        .put(TASKS, maxConcurrentTasks)
        .put(JOBS, maxConcurrentJobs)
        .put(LINK, linkMBps);
  }
}
