package dev.mover.repository.extent;

import dev.mover.api.point.Name;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Where things lie in a repository.
 *
 * <pre>
 * repository.json                                  what this is
 * lock                                             held by the one writer
 * machines/NAME/SEQUENCE-FILEID.mbf                restore points
 * machines/NAME/SEQUENCE-FILEID.partial            sessions that have not committed
 * machines/NAME/SEQUENCE-FILEID.healing            a generation of a point that is none: not yet, or no more
 * machines/NAME/SEQUENCE-FILEID.unlisted           deleted; what nobody uses is still to be freed
 * machines/NAME/SEQUENCE-FILEID.kept               deleted; what is left of it later points use
 * damaged                                          blocks known to be damaged
 * index/                                           RocksDB: block index and catalogue, disposable
 * sessions/ID/                                     scratch of open sessions
 * </pre>
 */
public record ExtentLayout(Path root) {
  private static final String HEALING = ".healing";
  private static final Pattern FILE_NAME =
      Pattern.compile("(\\d{10,19})-([0-9a-f-]{36})(\\.[a-z]+)");

  /** What a backup file is, by the end of its name; in the order in which it may become them. */
  public enum State {
    /** Of a session that has not committed. */
    PARTIAL(".partial"),
    /** A restore point. */
    POINT(".mbf"),
    /** A deleted point, of which what no point uses is still to be freed. */
    UNLISTED(".unlisted"),
    /** A deleted point, of which nothing is left but what points use. */
    KEPT(".kept");

    private final String ending;

    State(String ending) {
      this.ending = ending;
    }

    static Optional<State> of(String ending) {
      return Arrays.stream(values()).filter(s -> s.ending.equals(ending)).findFirst();
    }
  }

  /** A backup file, found by its name. */
  public record Found(Path path, long sequence, UUID fileId, State state) {
    public boolean committed() {
      return state == State.POINT;
    }

    public boolean partial() {
      return state == State.PARTIAL;
    }

    /** Deleted, where the file system can't clone. */
    public boolean deleted() {
      return state == State.UNLISTED || state == State.KEPT;
    }

    /** Its path in another state. */
    public Path as(State other) {
      return path.resolveSibling(name(sequence, fileId, other));
    }
  }

  public Path record() {
    return root.resolve("repository.json");
  }

  public Path lock() {
    return root.resolve("lock");
  }

  public Path machines() {
    return root.resolve("machines");
  }

  public Path damaged() {
    return root.resolve("damaged");
  }

  public Path index() {
    return root.resolve("index");
  }

  public Path sessions() {
    return root.resolve("sessions");
  }

  public Path scratch(UUID fileId) {
    return sessions().resolve(fileId.toString());
  }

  public Path machine(Name machine) {
    return machines().resolve(MachineFolder.of(machine));
  }

  /** Whose folder that is, as far as its name tells. */
  public static Name machineOf(Path folder) {
    return MachineFolder.nameOf(folder.getFileName().toString());
  }

  public static Path point(Path folder, long sequence, UUID fileId) {
    return folder.resolve(name(sequence, fileId, State.POINT));
  }

  public static Path partial(Path folder, long sequence, UUID fileId) {
    return folder.resolve(name(sequence, fileId, State.PARTIAL));
  }

  /** Where another generation of a point is written. */
  public static Path healing(Path point) {
    String name = point.getFileName().toString();
    return point.resolveSibling(
        name.substring(0, name.length() - State.POINT.ending.length()) + HEALING);
  }

  /** What healings that were cut off left in a machine's folder. */
  public static List<Path> healings(Path folder) throws IOException {
    List<Path> left = new ArrayList<>();
    if (!Files.isDirectory(folder)) {
      return left;
    }
    try (DirectoryStream<Path> paths = Files.newDirectoryStream(folder, "*" + HEALING)) {
      paths.forEach(left::add);
    }
    return left;
  }

  /**
   * Where the slots of a file that once was a point lie: under its name, or what became of that
   * when the point was deleted. The name of the point when there is none of them.
   */
  public static Path slots(Path folder, long sequence, UUID fileId) {
    return Stream.of(State.POINT, State.UNLISTED, State.KEPT)
        .map(state -> folder.resolve(name(sequence, fileId, state)))
        .filter(Files::exists)
        .findFirst()
        .orElseGet(() -> point(folder, sequence, fileId));
  }

  private static String name(long sequence, UUID fileId, State state) {
    return "%010d-%s%s".formatted(sequence, fileId, state.ending);
  }

  /** The file name of a path that is one of ours. */
  public static Optional<Found> parse(Path path) {
    Matcher name = FILE_NAME.matcher(path.getFileName().toString());
    if (!name.matches()) {
      return Optional.empty();
    }
    try {
      long sequence = Long.parseLong(name.group(1));
      UUID fileId = UUID.fromString(name.group(2));
      return State.of(name.group(3)).map(state -> new Found(path, sequence, fileId, state));
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // looks like ours, is not
    }
  }

  /** Backup files in a machine's folder, by sequence; empty when there is no such folder. */
  public static List<Found> files(Path folder) throws IOException {
    List<Found> found = new ArrayList<>();
    if (Files.isDirectory(folder)) {
      try (DirectoryStream<Path> paths = Files.newDirectoryStream(folder)) {
        paths.forEach(path -> parse(path).ifPresent(found::add));
      }
    }
    found.sort(Comparator.comparingLong(Found::sequence).thenComparing(Found::fileId));
    return found;
  }

  /** Ids of all backup files, by their names; the caller closes it. */
  public Stream<UUID> fileIds() {
    try {
      return machineFolders().stream()
          .flatMap(
              folder -> {
                try {
                  return files(folder).stream().map(Found::fileId);
                } catch (IOException e) {
                  throw ExtentError.reading(folder.toString(), e);
                }
              });
    } catch (IOException e) {
      throw ExtentError.reading(machines().toString(), e);
    }
  }

  /** Folders of machines, by folder name. */
  public List<Path> machineFolders() throws IOException {
    if (!Files.isDirectory(machines())) {
      return List.of();
    }
    try (Stream<Path> folders = Files.list(machines())) {
      return folders.filter(Files::isDirectory).sorted().toList();
    }
  }

  /** Removes what is in a folder; the folder stays, as a full disk may have no room for another. */
  static void empty(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      for (Path path : all.toList()) {
        removeTree(path);
      }
    }
  }

  /** Removes a folder and what is in it; nothing happens when it is not there. */
  public static void removeTree(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> below = Files.walk(folder)) {
      for (Path path : below.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
