package dev.mover.deploy.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mover.deploy.text.PackagedText;
import dev.mover.deploy.wiring.HostPort;
import dev.mover.proxy.LinkRule;
import dev.mover.proxy.ProxyOptions;
import dev.mover.transport.link.RepositoryAddress;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.LocalTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What {@code mover proxy --config FILE} reads. The sample that {@code --print-config} shows holds
 * every key with its default and what it does.
 *
 * @param http where the API is served; port 0 takes a free one
 * @param stateDir the folder of the job history
 * @param maxConcurrentTasks task slots: most disks at once, over all jobs
 * @param maxConcurrentJobs most machines at once
 * @param workers CPU threads
 * @param linkMBps most MB/s on all links together; 0: none
 * @param linkLimits further ones by address and time of day
 * @param stopDeadlineSeconds how long a stop waits for running jobs before it cancels them
 */
public record ProxyConfig(
    HostPort http,
    Path stateDir,
    int maxConcurrentTasks,
    int maxConcurrentJobs,
    int workers,
    int linkMBps,
    List<LinkRule> linkLimits,
    int stopDeadlineSeconds) {
  static final HostPort DEFAULT_HTTP = new HostPort("127.0.0.1", 7702);
  static final int DEFAULT_JOBS = 16;
  static final int DEFAULT_STOP_SECONDS = 60;
  private static final int MOST_WORKERS = 256;
  private static final int MOST_STOP_SECONDS = 24 * 60 * 60;
  private static final int MOST_LINK_LIMITS = 64;

  static final Set<String> KEYS =
      Set.of(
          "http",
          "stateDir",
          "maxConcurrentTasks",
          "maxConcurrentJobs",
          "workers",
          "linkMBps",
          "linkLimits",
          "stopDeadlineSeconds");
  private static final Set<String> LINK_LIMIT_KEYS =
      Set.of("address", "from", "to", "days", "linkMBps");

  public ProxyConfig {
    linkLimits = List.copyOf(linkLimits);
  }

  /** A daemon for this host only, on a port the system chooses. */
  public static ProxyConfig onFreePort(Path stateDir) {
    return parse("http: 127.0.0.1:0\nstateDir: placeholder", "defaults").withStateDir(stateDir);
  }

  private ProxyConfig withStateDir(Path other) {
    return new ProxyConfig(
        http,
        other,
        maxConcurrentTasks,
        maxConcurrentJobs,
        workers,
        linkMBps,
        linkLimits,
        stopDeadlineSeconds);
  }

  /** Reads a file; every complaint names it. */
  public static ProxyConfig read(Path file) {
    return parse(ConfigFile.read(file, "mover proxy --print-config"), file.toString());
  }

  /** A configuration with every key, its default and a word about it. */
  public static String sample() {
    return PackagedText.read("proxy.yaml");
  }

  static ProxyConfig parse(String yaml, String name) {
    ConfigFile file = ConfigFile.parse(yaml, name, KEYS);
    int workers = file.number("workers", 0, MOST_WORKERS, 0);
    return new ProxyConfig(
        file.hostPort("http", DEFAULT_HTTP),
        file.path("stateDir", "the folder for the job history"),
        file.number("maxConcurrentTasks", 1, ProxyOptions.MAX_SLOTS, ProxyOptions.DEFAULT.slots()),
        file.number("maxConcurrentJobs", 1, JobBook.MOST_RUNNING, DEFAULT_JOBS),
        workers == 0 ? ProxyOptions.DEFAULT.workers() : workers,
        file.number("linkMBps", 0, LinkRule.MOST_MBPS, 0),
        linkLimits(file),
        file.number("stopDeadlineSeconds", 0, MOST_STOP_SECONDS, DEFAULT_STOP_SECONDS));
  }

  private static List<LinkRule> linkLimits(ConfigFile file) {
    JsonNode list = file.node("linkLimits");
    if (list.isMissingNode()) {
      return List.of();
    }
    if (!list.isArray() || list.size() > MOST_LINK_LIMITS) {
      throw file.bad("has 'linkLimits' that are not a list of at most " + MOST_LINK_LIMITS);
    }
    List<LinkRule> limits = new ArrayList<>();
    for (JsonNode node : list) {
      ConfigFile item = file.item(node, "linkLimits", LINK_LIMIT_KEYS);
      int rate = item.number("linkMBps", 1, LinkRule.MOST_MBPS, 0);
      if (rate == 0) {
        throw item.bad("needs 'linkMBps' in each of its 'linkLimits'");
      }
      limits.add(
          new LinkRule(address(item), time(item, "from"), time(item, "to"), days(item), rate));
    }
    return limits;
  }

  private static String address(ConfigFile item) {
    String address = item.node("address").asText(LinkRule.EVERY);
    if (!address.equals(LinkRule.EVERY) && !RepositoryAddress.isMeantBy(address)) {
      throw item.bad(
          "has 'address: %s' in 'linkLimits'; write mover://host:port, or leave it out"
              .formatted(address));
    }
    return address;
  }

  /** Midnight when it is left out: from midnight to midnight is all day. */
  private static LocalTime time(ConfigFile item, String key) {
    if (item.node(key).isMissingNode()) {
      return LocalTime.MIDNIGHT;
    }
    String text = item.node(key).asText();
    try {
      return LocalTime.parse(text);
    } catch (DateTimeParseException e) {
      throw item.bad(
          "has '%s: %s' in 'linkLimits'; write a time of day in quotes, for example '08:30'"
              .formatted(key, text));
    }
  }

  private static Set<DayOfWeek> days(ConfigFile item) {
    JsonNode list = item.node("days");
    if (list.isMissingNode()) {
      return EnumSet.allOf(DayOfWeek.class);
    }
    Set<DayOfWeek> days = EnumSet.noneOf(DayOfWeek.class);
    for (JsonNode node : list) {
      days.add(day(item, node.asText()));
    }
    if (days.isEmpty()) {
      throw item.bad("has 'days' in 'linkLimits' that name none; write [mon, tue] or leave it out");
    }
    return days;
  }

  private static DayOfWeek day(ConfigFile item, String text) {
    for (DayOfWeek day : DayOfWeek.values()) {
      if (day.name().substring(0, 3).toLowerCase(Locale.ROOT).equals(text)) {
        return day;
      }
    }
    throw item.bad(
        "has the day '%s' in 'linkLimits'; days are mon, tue, wed, thu, fri, sat, sun"
            .formatted(text));
  }
}
