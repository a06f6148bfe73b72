package dev.mover.repository.extent;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.linux.LinuxFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.UUID;

/** The contents of {@code repository.json}: written once when the repository is created. */
public record RepositoryRecord(int version, UUID repositoryId, Instant created, ExtentMode mode) {
  /** The one format there is so far. */
  public static final int VERSION = 1;

  private static final String KIND = "mover-repository";
  private static final int MAX_BYTES = 64 << 10;
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  /**
   * Reads and judges the record of {@code directory}.
   *
   * @throws RepositoryException NOT_A_REPOSITORY, REPOSITORY_TOO_NEW or REPOSITORY_READ_FAILED
   */
  static RepositoryRecord read(Path directory, Path file) {
    JsonNode json;
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw notARepository(directory, "its repository.json is too long to be one");
      }
      json = JSON.readTree(Files.readAllBytes(file));
    } catch (java.nio.file.NoSuchFileException e) {
      throw notARepository(directory, "it has no repository.json");
    } catch (JsonProcessingException e) {
      throw notARepository(directory, "its repository.json is no JSON");
    } catch (IOException e) {
      throw ExtentError.reading(file.toString(), e);
    }
    if (!KIND.equals(json.path("kind").asText())) {
      throw notARepository(directory, "its repository.json is something else's");
    }
    int version = json.path("version").asInt();
    if (version > VERSION) {
      throw new RepositoryException(
          ErrorCode.REPOSITORY_TOO_NEW,
          "%s: is a repository of version %d, this mover knows %d; use a newer mover"
              .formatted(directory, version, VERSION));
    }
    try {
      return new RepositoryRecord(
          version,
          UUID.fromString(json.path("repositoryId").asText()),
          Instant.parse(json.path("created").asText()),
          new ExtentMode(
              json.path("fileSystem").asText(),
              json.path("cloneGranularity").asInt(),
              json.path("direct").asBoolean(),
              json.path("punch").asBoolean()));
    } catch (IllegalArgumentException | java.time.DateTimeException e) {
      throw notARepository(directory, "its repository.json is damaged: " + e.getMessage());
    }
  }

  /** Writes the record durably, whole or not at all: it is what makes a directory a repository. */
  void write(Path directory, Path file) throws IOException {
    ObjectNode json = JSON.createObjectNode();
    json.put("kind", KIND)
        .put("version", version)
        .put("repositoryId", repositoryId.toString())
        .put("created", created.toString())
        .put("fileSystem", mode.fileSystem())
        .put("clone", mode.clones())
        .put("cloneGranularity", mode.cloneGranularity())
        .put("direct", mode.direct())
        .put("punch", mode.punch());
    byte[] text = JSON.writeValueAsBytes(json);
    Path fresh = file.resolveSibling(ExtentProbe.PREFIX + "record");
    try (LinuxFile out =
        LinuxFile.open(
            fresh, LinuxFile.Flag.WRITE, LinuxFile.Flag.CREATE, LinuxFile.Flag.TRUNCATE)) {
      out.write(ByteBuffer.allocateDirect(text.length).put(text).flip(), 0);
      out.sync();
    }
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    LinuxFile.syncDirectory(directory);
  }

  private static RepositoryException notARepository(Path directory, String why) {
    return new RepositoryException(
        ErrorCode.NOT_A_REPOSITORY,
        "%s is not a repository: %s; name another directory, to create one an empty or missing one"
            .formatted(directory, why));
  }
}
