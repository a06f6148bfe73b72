package dev.mover.deploy.cli;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.api.point.Name;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One SOURCE of the command line: {@code path}, or {@code disk=path}. A path that exists is taken
 * as it is even with an {@code =} in it; otherwise what stands before the first {@code =} is the
 * disk's name. Without a name the disk is called like the file.
 */
record SourceArgument(Name disk, Path path) {

  static SourceArgument parse(String text) {
    int equals = text.indexOf('=');
    if (equals < 0 || exists(text)) {
      Path path = path(text, text);
      Path file = path.getFileName();
      if (file == null) {
        throw usage("source '" + text + "' is not a disk image or block device");
      }
      return new SourceArgument(new Name(file.toString()), path);
    }
    if (equals == 0 || equals == text.length() - 1) {
      throw usage("source '" + text + "' lacks the disk's name or the path; write disk=path");
    }
    return new SourceArgument(
        new Name(text.substring(0, equals)), path(text.substring(equals + 1), text));
  }

  /** Parses all and refuses two disks of one name. */
  static List<SourceArgument> parseAll(List<String> texts) {
    Map<Name, Path> seen = new HashMap<>();
    List<SourceArgument> sources = texts.stream().map(SourceArgument::parse).toList();
    for (SourceArgument source : sources) {
      Path other = seen.putIfAbsent(source.disk, source.path);
      if (other != null) {
        throw usage(
            "%s and %s would both be disk '%s' of the machine; name them: a=%s b=%s"
                .formatted(other, source.path, source.disk, other, source.path));
      }
    }
    return sources;
  }

  private static boolean exists(String text) {
    try {
      return Files.exists(Path.of(text), LinkOption.NOFOLLOW_LINKS);
    } catch (InvalidPathException e) {
      return false;
    }
  }

  private static Path path(String path, String argument) {
    try {
      return Path.of(path);
    } catch (InvalidPathException e) {
      throw usage("source '" + argument + "' is not a path: " + e.getReason());
    }
  }

  private static InputException usage(String message) {
    return new InputException(ErrorCode.BAD_USAGE, message);
  }
}
