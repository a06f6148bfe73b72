package dev.mover.deploy.wiring;

import dev.mover.repository.Repository;
import dev.mover.repository.RepositoryOptions;
import dev.mover.transport.http.HttpEndpoint;
import dev.mover.transport.http.HttpReply;
import dev.mover.transport.http.HttpRoutes;
import dev.mover.transport.link.RepositoryAddress;
import dev.mover.transport.netty.NettyMoverServer;
import java.net.InetSocketAddress;

/**
 * A running repository daemon: the repository, the server that proxies connect to, and the HTTP
 * endpoint. Closed in the opposite order of opening: first nobody new comes in and the links end,
 * then the directory is free.
 */
public final class RepositoryDaemon implements AutoCloseable {
  private static final String HEALTH = "/health";

  private final Repository repository;
  private final NettyMoverServer server;
  private final HttpEndpoint http;
  private final RepositoryConfig config;

  private RepositoryDaemon(
      Repository repository, NettyMoverServer server, HttpEndpoint http, RepositoryConfig config) {
    this.repository = repository;
    this.server = server;
    this.http = http;
    this.config = config;
  }

  /** Starts all of it, or nothing. */
  public static RepositoryDaemon start(RepositoryConfig config) {
    Repository repository =
        Repository.open(
            config.path(),
            RepositoryOptions.DEFAULT.withMaxConcurrentTasks(config.maxConcurrentTasks()));
    try {
      return listen(config, repository);
    } catch (RuntimeException e) {
      repository.close();
      throw e;
    }
  }

  private static RepositoryDaemon listen(RepositoryConfig config, Repository repository) {
    NettyMoverServer server =
        NettyMoverServer.bind(config.listen().host(), config.listen().port(), repository.links());
    try {
      HttpEndpoint http =
          HttpEndpoint.bind(
              config.http().host(),
              config.http().port(),
              HttpRoutes.none()
                  .get(HEALTH, _ -> HttpReply.json(200, HealthJson.of(repository.status()))));
      return new RepositoryDaemon(repository, server, http, config);
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  /** For {@code --to}, with the port it really got. */
  public String address() {
    return new RepositoryAddress(config.listen().host(), server.address().getPort()).toString();
  }

  public String healthUrl() {
    InetSocketAddress bound = http.address();
    return "http://" + new HostPort(config.http().host(), bound.getPort()) + HEALTH;
  }

  public String directory() {
    return config.path().toString();
  }

  public String mode() {
    return repository.status().mode();
  }

  @Override
  public void close() {
    http.close();
    server.close();
    repository.close();
  }
}
