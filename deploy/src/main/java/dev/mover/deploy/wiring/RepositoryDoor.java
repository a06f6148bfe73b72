package dev.mover.deploy.wiring;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.api.error.RepositoryException;
import dev.mover.repository.Repository;
import dev.mover.transport.inprocess.InProcessConnector;
import dev.mover.transport.link.LinkConnector;
import dev.mover.transport.link.RepositoryAddress;
import dev.mover.transport.netty.NettyConnector;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
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
   */
  public static RepositoryDoor forBackup(String place, int slots) {
    return isAddress(place)
        ? remote(place)
        : embedded(Repository.open(directory(place), EmbeddedMemory.options(slots)));
  }

  /** For reading: a directory is neither locked nor written to. */
  public static RepositoryDoor forReading(String place) {
    if (isAddress(place)) {
      return remote(place);
    }
    Path directory = directory(place);
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

  private static RepositoryDoor remote(String place) {
    RepositoryAddress address = RepositoryAddress.parse(place);
    NettyConnector connector = new NettyConnector(address.host(), address.port());
    return new RepositoryDoor(connector, connector);
  }

  private static boolean isAddress(String place) {
    return place.contains("://");
  }

  private static Path directory(String place) {
    try {
      if (!place.isEmpty()) {
        return Path.of(place);
      }
    } catch (InvalidPathException e) {
      // said below
    }
    throw new InputException(
        ErrorCode.BAD_ADDRESS,
        "'" + place + "' is neither a directory nor an address like mover://host:7700");
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
