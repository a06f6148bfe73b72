package dev.mover.deploy.wiring;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.RepositoryException;
import dev.mover.repository.Repository;
import dev.mover.transport.inprocess.InProcessConnector;
import dev.mover.transport.link.LinkConnector;
import dev.mover.transport.link.RepositoryAddress;
import dev.mover.transport.netty.NettyConnector;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The way to a repository that the command line named: a directory is opened in this process and
 * reached over the in-process transport, {@code mover://host:port} is a daemon reached over TCP.
 * Both speak the same frames.
 */
public final class RepositoryDoor implements AutoCloseable {
  private final LinkConnector connector;
  private final AutoCloseable behind;

  private RepositoryDoor(LinkConnector connector, AutoCloseable behind) {
    this.connector = connector;
    this.behind = behind;
  }

  /**
   * For writing: a directory is locked, and made a repository when it is empty or missing.
   *
   * @param slots tasks at once, for an embedded repository
   * @throws dev.mover.api.error.InputException BAD_ADDRESS when {@code place} is neither
   */
  public static RepositoryDoor forBackup(String place, int slots) {
    return switch (RepositoryPlace.parse(place)) {
      case RepositoryPlace.Daemon daemon -> remote(daemon.address());
      case RepositoryPlace.Directory directory ->
          embedded(Repository.open(directory.path(), EmbeddedMemory.options(slots)));
    };
  }

  /**
   * For reading: a directory is neither locked nor written to.
   *
   * @throws dev.mover.api.error.InputException BAD_ADDRESS when {@code place} is neither
   */
  public static RepositoryDoor forReading(String place) {
    return switch (RepositoryPlace.parse(place)) {
      case RepositoryPlace.Daemon daemon -> remote(daemon.address());
      case RepositoryPlace.Directory directory -> reading(directory.path());
    };
  }

  /**
   * For deleting: a directory is locked, and must be a repository already.
   *
   * @throws dev.mover.api.error.InputException BAD_ADDRESS when {@code place} is neither
   */
  public static RepositoryDoor forRemoval(String place) {
    return switch (RepositoryPlace.parse(place)) {
      case RepositoryPlace.Daemon daemon -> remote(daemon.address());
      case RepositoryPlace.Directory directory -> {
        reading(directory.path()).close(); // or it would be made one
        yield embedded(Repository.open(directory.path(), EmbeddedMemory.options(1)));
      }
    };
  }

  private static RepositoryDoor reading(Path directory) {
    if (!Files.exists(directory)) {
      throw new RepositoryException(
          ErrorCode.NOT_A_REPOSITORY,
          "there is no repository at " + directory + "; check the path given with --from");
    }
    return embedded(Repository.openReadOnly(directory));
  }

  private static RepositoryDoor embedded(Repository repository) {
    return new RepositoryDoor(new InProcessConnector(repository.links()), repository);
  }

  private static RepositoryDoor remote(RepositoryAddress address) {
    NettyConnector connector = new NettyConnector(address.host(), address.port());
    return new RepositoryDoor(connector, connector);
  }

  public LinkConnector connector() {
    return connector;
  }

  @Override
  public void close() {
    try {
      behind.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError("closes without checked exceptions", e);
    }
  }
}
