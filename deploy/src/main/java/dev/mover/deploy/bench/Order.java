package dev.mover.deploy.bench;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.mover.dedup.codec.Compression;

/** One thing a worker process is told to do, as a line of JSON. Paths are strings. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "do")
@JsonSubTypes({
  @JsonSubTypes.Type(value = Order.Loop.class, name = "loop"),
  @JsonSubTypes.Type(value = Order.Backup.class, name = "backup"),
  @JsonSubTypes.Type(value = Order.Restore.class, name = "restore"),
  @JsonSubTypes.Type(value = Order.StartRepository.class, name = "start-repository"),
  @JsonSubTypes.Type(value = Order.StopRepository.class, name = "stop-repository"),
  @JsonSubTypes.Type(value = Order.Usage.class, name = "usage")
})
sealed interface Order {
  /** The bare loops. */
  enum Bare {
    READ_HASH,
    PACK,
    PACK_WRITE,
    UNPACK
  }

  /**
   * Run a bare loop.
   *
   * @param packed file that PACK_WRITE makes and UNPACK reads
   * @param target file that UNPACK makes
   */
  record Loop(Bare bare, String image, String packed, String target) implements Order {}

  /** Back the image up, cut into {@code tasks} disks, to a directory or an address. */
  record Backup(String image, int tasks, String machine, String to, Compression compression)
      implements Order {}

  /** Restore the only disk of a machine's newest point. */
  record Restore(String machine, String from, String target) implements Order {}

  /** Serve a new repository in a directory, in this process; the answer's text is its address. */
  record StartRepository(String directory, int tasks) implements Order {}

  record StopRepository() implements Order {}

  /** Do nothing; the answer tells what the process has used. */
  record Usage() implements Order {}
}
