package dev.mover.deploy.daemon;

import dev.mover.deploy.wiring.HostPort;
import dev.mover.repository.Repository;
import dev.mover.repository.RepositoryOptions;
import dev.mover.transport.http.HttpEndpoint;
import dev.mover.transport.link.RepositoryAddress;
import dev.mover.transport.netty.NettyMoverServer;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * A running repository daemon: the repository, the server that proxies connect to, and the HTTP
 * API. The API comes first and goes last, so that it can say how the rest is.
 */
public final class RepositoryDaemon implements AutoCloseable {
  private final RepositoryConfig config;
  private final RepositoryState state;
  private final HttpEndpoint http;
  private final Repository repository;
  private final NettyMoverServer server;

  private RepositoryDaemon(
      RepositoryConfig config,
      RepositoryState state,
      HttpEndpoint http,
      Repository repository,
      NettyMoverServer server) {
    this.config = config;
    this.state = state;
    this.http = http;
    this.repository = repository;
    this.server = server;
  }

  /** Starts all of it, or nothing. */
  public static RepositoryDaemon start(RepositoryConfig config) {
    RepositoryState state = new RepositoryState(config.path());
    RepositoryMetrics metrics = new RepositoryMetrics();
    HttpEndpoint http =
        HttpEndpoint.bind(
            config.http().host(), config.http().port(), new RepositoryApi(state, metrics).routes());
    try {
      Repository repository =
          Repository.open(
              config.path(),
              RepositoryOptions.DEFAULT.withMaxConcurrentTasks(
                  config.limits().maxConcurrentTasks()));
      try {
        repository.limit(config.limits());
        repository.keep(config.retention());
        repository.scrub().plan(config.scrub().interval(), config.scrub().bytesPerSec());
        repository.partialAge().limit(Duration.ofDays(config.partialDays()));
        metrics.watch(repository);
        NettyMoverServer server =
            NettyMoverServer.bind(
                config.listen().host(), config.listen().port(), repository.links());
        state.opened(repository);
        return new RepositoryDaemon(config, state, http, repository, server);
      } catch (RuntimeException e) {
        repository.close();
        throw e;
      }
    } catch (RuntimeException e) {
      http.close();
      throw e;
    }
  }

  /** For {@code --to}, with the port it really got. */
  public String address() {
    return new RepositoryAddress(config.listen().host(), server.address().getPort()).toString();
  }

  public String healthUrl() {
    return url() + RepositoryApi.HEALTH;
  }

  /** Where the API is, with the port it really got: {@code http://127.0.0.1:7701}. */
  public String url() {
    InetSocketAddress bound = http.address();
    return "http://" + new HostPort(config.http().host(), bound.getPort());
  }

  public String directory() {
    return config.path().toString();
  }

  public String mode() {
    return repository.status().mode();
  }

  /**
   * Stops in good order: lets nobody new in, waits for what runs as long as configured, then ends
   * it with SHUTTING_DOWN (sessions leave partials).
   */
  @Override
  public void close() {
    state.stopping();
    repository.drain(Duration.ofSeconds(config.stopDeadlineSeconds()));
    state.stopped();
    repository.close();
    server.close();
    http.close();
  }
}
