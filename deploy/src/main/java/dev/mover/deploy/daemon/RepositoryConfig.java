package dev.mover.deploy.daemon;

import dev.mover.deploy.text.PackagedText;
import dev.mover.deploy.wiring.HostPort;
import dev.mover.repository.RepositoryLimits;
import dev.mover.repository.retention.RetentionRules;
import dev.mover.repository.serve.ScrubStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;

/**
 * What {@code mover repository --config FILE} reads. The sample that {@code --print-config} shows
 * holds every key with its default and what it does.
 *
 * @param path the repository's directory
 * @param listen where proxies connect to; port 0 takes a free one
 * @param http where the HTTP API is served; port 0 takes a free one
 * @param limits what is in force until somebody changes it
 * @param scrub the background scrub
 * @param retention what is kept of which machine
 * @param partialDays how long after it was last written to a partial is removed; 0: never
 * @param stopDeadlineSeconds how long a stop waits for sessions before it ends them
 */
public record RepositoryConfig(
    Path path,
    HostPort listen,
    HostPort http,
    RepositoryLimits limits,
    ScrubPlan scrub,
    RetentionRules retention,
    int partialDays,
    int stopDeadlineSeconds) {
  /**
   * How rot is looked for.
   *
   * @param intervalDays how old a point's last check may get; 0: never looked for
   * @param mbps most MB/s (10^6 bytes) it reads
   */
  public record ScrubPlan(int intervalDays, int mbps) {
    static final ScrubPlan DEFAULT = new ScrubPlan(30, 20);
    private static final long MB = 1_000_000;

    /** What is in force. */
    static ScrubPlan of(ScrubStatus now) {
      return new ScrubPlan((int) now.interval().toDays(), (int) (now.bytesPerSec() / MB));
    }

    Duration interval() {
      return Duration.ofDays(intervalDays);
    }

    long bytesPerSec() {
      return mbps * MB;
    }
  }

  static final HostPort DEFAULT_LISTEN = new HostPort("127.0.0.1", 7700);
  static final HostPort DEFAULT_HTTP = new HostPort("127.0.0.1", 7701);
  static final int DEFAULT_TASKS = 4;
  static final int DEFAULT_STOP_SECONDS = 60;

  /** The next run of a weekly job comes after seven days: it finds a partial, or the one after. */
  static final int DEFAULT_PARTIAL_DAYS = 14;

  /** As many slots as the receive pool can give a share of two of the usual blocks. */
  static final int MOST_TASKS = 64;

  private static final int MOST_STOP_SECONDS = 24 * 60 * 60;

  static final int MOST_DAYS = 3650;

  private static final Set<String> KEYS =
      Set.of(
          "path",
          "listen",
          "http",
          "maxConcurrentTasks",
          "extentMaxConcurrentTasks",
          "extentWriteMBps",
          "extentReadMBps",
          "scrubIntervalDays",
          "scrubMBps",
          RetentionConfig.KEY,
          "partialDays",
          "stopDeadlineSeconds");

  /** A daemon for this host only, on ports the system chooses. */
  public static RepositoryConfig onFreePorts(Path path) {
    return new RepositoryConfig(
        path,
        DEFAULT_LISTEN.withPort(0),
        DEFAULT_HTTP.withPort(0),
        RepositoryLimits.ofTasks(DEFAULT_TASKS),
        ScrubPlan.DEFAULT,
        RetentionRules.NONE,
        DEFAULT_PARTIAL_DAYS,
        DEFAULT_STOP_SECONDS);
  }

  /** Reads a file; every complaint names it. */
  public static RepositoryConfig read(Path file) {
    return parse(ConfigFile.read(file, "mover repository --print-config"), file.toString());
  }

  /** A configuration with every key, its default and a word about it. */
  public static String sample() {
    return PackagedText.read("repository.yaml");
  }

  static RepositoryConfig parse(String yaml, String name) {
    ConfigFile file = ConfigFile.parse(yaml, name, KEYS);
    return new RepositoryConfig(
        file.path("path", "the repository's directory"),
        file.hostPort("listen", DEFAULT_LISTEN),
        file.hostPort("http", DEFAULT_HTTP),
        new RepositoryLimits(
            file.number("maxConcurrentTasks", 1, MOST_TASKS, DEFAULT_TASKS),
            file.number("extentMaxConcurrentTasks", 0, MOST_TASKS, 0),
            file.number("extentWriteMBps", 0, RepositoryLimits.MOST_MBPS, 0),
            file.number("extentReadMBps", 0, RepositoryLimits.MOST_MBPS, 0)),
        new ScrubPlan(
            file.number("scrubIntervalDays", 0, MOST_DAYS, ScrubPlan.DEFAULT.intervalDays()),
            file.number("scrubMBps", 1, RepositoryLimits.MOST_MBPS, ScrubPlan.DEFAULT.mbps())),
        RetentionConfig.read(file),
        file.number("partialDays", 0, MOST_DAYS, DEFAULT_PARTIAL_DAYS),
        file.number("stopDeadlineSeconds", 0, MOST_STOP_SECONDS, DEFAULT_STOP_SECONDS));
  }
}
