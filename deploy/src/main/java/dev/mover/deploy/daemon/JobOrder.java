package dev.mover.deploy.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mover.api.block.BlockSize;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.api.point.Name;
import dev.mover.dedup.codec.Compression;
import dev.mover.deploy.wiring.RepositoryPlace;
import dev.mover.proxy.ProxyOptions;
import dev.mover.transport.frame.Open;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Reads the body of {@code POST /v1/jobs}. Says what is wrong with it without touching a disk: that
 * a source is missing shows when the job runs, which may be much later.
 */
final class JobOrder {
  static final Set<String> FIELDS =
      Set.of("machine", "disks", "to", "blockSize", "compression", "slots", "raw");
  static final Set<String> DISK_FIELDS = Set.of("name", "path");

  private JobOrder() {}

  /**
   * Reads a body.
   *
   * @throws InputException BAD_USAGE, BAD_NAME or BAD_ADDRESS
   */
  static JobRequest parse(String body) {
    StrictJson json = StrictJson.parse(body, FIELDS);
    return new JobRequest(
        new Name(json.text("machine")),
        disks(json.list("disks")),
        to(json.text("to")),
        blockSize(json.text("blockSize", BlockSize.DEFAULT.label())),
        compression(json.text("compression", Compression.OPTIMAL.name())),
        json.number("slots", 1, ProxyOptions.MAX_SLOTS).orElse(0),
        json.flag("raw"));
  }

  private static List<JobRequest.Disk> disks(JsonNode list) {
    if (list.isEmpty() || list.size() > Open.MAX_DISKS) {
      throw StrictJson.bad(
          "a machine has 1 to %d disks, not %d".formatted(Open.MAX_DISKS, list.size()));
    }
    List<JobRequest.Disk> disks = new ArrayList<>();
    Set<Name> names = new HashSet<>();
    for (JsonNode node : list) {
      JobRequest.Disk disk = disk(StrictJson.of(node, "a disk", DISK_FIELDS));
      if (!names.add(disk.name())) {
        throw StrictJson.bad(
            "two disks are called " + disk.name() + "; give each a 'name' of its own");
      }
      disks.add(disk);
    }
    return disks;
  }

  private static JobRequest.Disk disk(StrictJson json) {
    Path path = absolute(json.text("path"), "path");
    Path file = path.getFileName();
    if (file == null) {
      throw StrictJson.bad("'path' " + path + " is not a disk image or block device");
    }
    return new JobRequest.Disk(new Name(json.text("name", file.toString())), path);
  }

  private static String to(String place) {
    return switch (RepositoryPlace.parse(place)) {
      case RepositoryPlace.Daemon daemon -> daemon.address().toString();
      case RepositoryPlace.Directory _ -> absolute(place, "to").normalize().toString();
    };
  }

  private static Path absolute(String text, String field) {
    try {
      Path path = Path.of(text);
      if (path.isAbsolute()) {
        return path;
      }
    } catch (InvalidPathException e) {
      throw StrictJson.bad("'" + field + "' is not a path: " + e.getReason());
    }
    throw new InputException(
        ErrorCode.BAD_ADDRESS,
        "'%s' must be an absolute path on the proxy's host%s; '%s' is relative"
            .formatted(field, field.equals("to") ? " or mover://host:port" : "", text));
  }

  private static BlockSize blockSize(String label) {
    return Arrays.stream(BlockSize.values())
        .filter(size -> size.label().equalsIgnoreCase(label))
        .findFirst()
        .orElseThrow(
            () ->
                StrictJson.bad(
                    "'blockSize' takes %s, not '%s'"
                        .formatted(
                            Arrays.stream(BlockSize.values())
                                .map(BlockSize::label)
                                .collect(Collectors.joining(", ")),
                            label)));
  }

  private static Compression compression(String name) {
    return Compression.named(name)
        .orElseThrow(
            () ->
                StrictJson.bad(
                    "'compression' takes %s, not '%s'"
                        .formatted(
                            Arrays.stream(Compression.values())
                                .map(c -> c.name().toLowerCase(Locale.ROOT))
                                .collect(Collectors.joining(", ")),
                            name)));
  }
}
