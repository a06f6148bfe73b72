package dev.mover.deploy.daemon;

import dev.mover.deploy.wiring.HostPort;
import dev.mover.proxy.LinkRule;
import dev.mover.proxy.Proxy;
import dev.mover.proxy.ProxyOptions;
import dev.mover.transport.http.HttpEndpoint;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/**
 * A running proxy daemon: the proxy, its jobs and their history, and the HTTP API. Ends in the
 * opposite order of starting: jobs first, while the API still answers, then the API, then the rest.
 */
public final class ProxyDaemon implements AutoCloseable {
  /**
   * The block memory is shared out by as many slots at least, so that a running daemon's limit can
   * be raised to it; each still reads 8 and more blocks of 1 MiB ahead, past which nothing is
   * gained.
   */
  private static final int LEAST_SLOTS = 8;

  private final ProxyConfig config;
  private final JobHistory history;
  private final Proxy proxy;
  private final JobBook jobs;
  private final HttpEndpoint http;

  private ProxyDaemon(
      ProxyConfig config, JobHistory history, Proxy proxy, JobBook jobs, HttpEndpoint http) {
    this.config = config;
    this.history = history;
    this.proxy = proxy;
    this.jobs = jobs;
    this.http = http;
  }

  /** Starts all of it, or nothing. */
  public static ProxyDaemon start(ProxyConfig config) {
    JobHistory history = JobHistory.open(config.stateDir());
    try {
      return start(config, history);
    } catch (RuntimeException e) {
      history.close();
      throw e;
    }
  }

  private static ProxyDaemon start(ProxyConfig config, JobHistory history) {
    int slots = Math.max(config.maxConcurrentTasks(), LEAST_SLOTS);
    Proxy proxy = new Proxy(new ProxyOptions(slots, config.workers()));
    try {
      ProxyMetrics metrics = new ProxyMetrics();
      JobBook jobs =
          new JobBook(
              new ProxyRunner(proxy, new RepositoryDoors(slots)),
              history,
              InstantSource.system(),
              config.maxConcurrentJobs(),
              metrics::ended);
      LimitDesk limits =
          new LimitDesk(
              new Limits(
                  config.maxConcurrentTasks(), config.maxConcurrentJobs(), config.linkMBps()),
              slots,
              now -> {
                proxy.limitTasks(now.maxConcurrentTasks());
                proxy.limitLinks(linkRules(config, now));
                jobs.limitRunning(now.maxConcurrentJobs());
              });
      metrics.watch(jobs, limits, proxy::leasedBytes);
      HttpEndpoint http =
          HttpEndpoint.bind(
              config.http().host(),
              config.http().port(),
              new ProxyApi(jobs, history, limits, metrics).routes());
      return new ProxyDaemon(config, history, proxy, jobs, http);
    } catch (RuntimeException e) {
      proxy.close();
      throw e;
    }
  }

  private static List<LinkRule> linkRules(ProxyConfig config, Limits now) {
    List<LinkRule> rules = new ArrayList<>(config.linkLimits());
    if (now.linkMBps() > 0) {
      rules.add(LinkRule.always(LinkRule.EVERY, now.linkMBps()));
    }
    return rules;
  }

  /** Where the API is, with the port it really got: {@code http://127.0.0.1:7702}. */
  public String url() {
    return "http://" + new HostPort(config.http().host(), http.address().getPort());
  }

  /**
   * Stops in good order: takes no more jobs, waits for the running ones as long as configured, then
   * cancels them (what they stored stays as a partial).
   */
  @Override
  public void close() {
    boolean all = jobs.stop(Duration.ofSeconds(config.stopDeadlineSeconds()));
    http.close();
    history.close();
    if (all) {
      proxy.close();
    } // else: a run that ignores its cancel still uses the proxy's memory; the process ends anyway
  }
}
