package dev.mover.deploy.cli;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import dev.mover.api.status.Status;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Shows a failure: one line on stderr, or with {@code --json} one object on stdout. A stack only
 * comes with {@code --debug}.
 *
 * <pre>mover: backup: no such file: /disk.img; check the path [code SOURCE_MISSING 200]</pre>
 */
final class Failures {
  /** Stands for a defect of the mover itself; operating failures have an {@link ErrorCode}. */
  private static final String INTERNAL = "INTERNAL";

  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean json;
  private final boolean debug;

  /** Looks for the flags in the raw arguments: an error must be shown even if parsing failed. */
  Failures(PrintWriter out, PrintWriter err, String[] args) {
    this.out = out;
    this.err = err;
    List<String> given = Arrays.asList(args);
    this.json = given.contains(CommonOptions.JSON);
    this.debug = given.contains(CommonOptions.DEBUG);
  }

  /** A command line that can't be understood. */
  int usage(ParameterException e) {
    CommandLine command = e.getCommandLine();
    String hint = "see '" + command.getCommandSpec().qualifiedName() + " --help'";
    ParameterException cause = cause(e);
    List<String> similar =
        cause instanceof UnmatchedArgumentException unmatched
            ? unmatched.getSuggestions()
            : List.of();
    String message =
        text(cause)
            + "; "
            + (similar.isEmpty() ? hint : "did you mean " + similar.getFirst() + "? " + hint);
    show(
        isTop(command) ? "" : command.getCommandName() + ": ",
        ErrorCode.BAD_USAGE.number(),
        ErrorCode.BAD_USAGE.name(),
        Side.CLI,
        message);
    return Status.EXIT_USAGE;
  }

  /** A mistyped option is what's wrong, not the required one that is missing because of it. */
  private static ParameterException cause(ParameterException e) {
    List<String> unmatched = e.getCommandLine().getUnmatchedArguments();
    return e instanceof MissingParameterException && !unmatched.isEmpty()
        ? new UnmatchedArgumentException(e.getCommandLine(), unmatched)
        : e;
  }

  private static String text(ParameterException e) {
    if (e instanceof UnmatchedArgumentException unmatched && isTop(e.getCommandLine())) {
      String word = unmatched.getUnmatched().getFirst();
      if (!word.startsWith("-")) {
        return "there is no command '" + word + "'";
      }
    }
    String said = String.valueOf(e.getMessage());
    return said.endsWith(".") ? said.substring(0, said.length() - 1) : said;
  }

  private static boolean isTop(CommandLine command) {
    return command.getParent() == null;
  }

  /** A command that failed while it ran. */
  int failed(Exception e, CommandLine command) {
    if (debug) {
      e.printStackTrace(err);
    }
    String what = command.getCommandName() + ": ";
    if (e instanceof MoverException known) {
      show(what, known.code().number(), known.code().name(), known.side(), known.getMessage());
      return exitCode(known);
    }
    show(
        what,
        0,
        INTERNAL,
        Side.CLI,
        "unexpected " + e + "; this is a defect of mover: run it again with --debug and report it");
    return Status.FAILED.exitCode();
  }

  /** What the caller typed is a usage error; the same code from the other side is a failure. */
  private static int exitCode(MoverException e) {
    boolean typed = e.side() == Side.CLI && e.code().number() / 100 == 1;
    return typed ? Status.EXIT_USAGE : Status.FAILED.exitCode();
  }

  private void show(String what, int code, String name, Side side, String message) {
    String line = oneLine(message);
    if (json) {
      out.println(JsonView.error(code, name, side.name().toLowerCase(Locale.ROOT), line));
    } else {
      err.printf("mover: %s%s [code %s %d]%n", what, line, name, code);
    }
  }

  /** Names and messages may come from anywhere: nothing in them may move the cursor. */
  static String oneLine(String text) {
    StringBuilder safe = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            c -> {
              if (c == '\n') {
                safe.append("\\n");
              } else if (Character.isISOControl(c) || c == 0x2028 || c == 0x2029) {
                safe.append("\\u%04x".formatted(c));
              } else {
                safe.appendCodePoint(c);
              }
            });
    return safe.toString();
  }
}
