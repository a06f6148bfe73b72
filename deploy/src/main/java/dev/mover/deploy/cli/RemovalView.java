package dev.mover.deploy.cli;

import dev.mover.api.point.Removal;
import dev.mover.api.point.RemovalMode;
import dev.mover.api.status.Status;
import dev.mover.deploy.text.Amounts;
import dev.mover.transport.frame.Removed;
import java.io.PrintWriter;
import java.util.stream.Collectors;

/** Prints what was deleted, or would be, machine by machine, and in the end what came back. */
final class RemovalView {
  private final PrintWriter out;
  private final boolean json;
  private final RemovalMode mode;
  private boolean problems;
  private long atLeastBytes;
  private long atMostBytes;

  RemovalView(PrintWriter out, boolean json, RemovalMode mode) {
    this.out = out;
    this.json = json;
    this.mode = mode;
  }

  void add(Removal removal) {
    problems |= !removal.problem().isEmpty();
    atLeastBytes += removal.atLeastBytes();
    atMostBytes += removal.atMostBytes();
    if (json) {
      out.println(JsonView.removal(removal, mode));
      return;
    }
    if (!removal.sequences().isEmpty()) {
      out.printf(
          "%s: %s %s, %d %s%s%n",
          removal.machine(),
          removal.sequences().size() == 1 ? "point" : "points",
          removal.sequences().stream().map(String::valueOf).collect(Collectors.joining(", ")),
          removal.keptCount(),
          removal.keptCount() == 1 ? "stays" : "stay",
          mode.isDryRun() ? "; " + comesBack(removal.atLeastBytes(), removal.atMostBytes()) : "");
    }
    if (!removal.problem().isEmpty()) {
      out.println(removal.machine() + ": " + Failures.oneLine(removal.problem()));
    }
  }

  void finish(Removed end) {
    if (json) {
      out.println(JsonView.removed(end, status(), mode, atLeastBytes, atMostBytes));
    } else if (end.points() == 0) {
      out.println("nothing to delete");
    } else if (mode.isDryRun()) {
      String back =
          mode == RemovalMode.EXACT
              ? "exactly " + comesBack(end.freedBytes(), end.freedBytes())
              : comesBack(atLeastBytes, atMostBytes);
      out.printf("%s would be deleted; %s%n", points(end.points()), back);
    } else {
      out.printf(
          "%s deleted; the file system has %s more room than before%n",
          points(end.points()), Amounts.bytes(end.freedBytes()));
    }
  }

  Status status() {
    return problems ? Status.WARNING : Status.SUCCESS;
  }

  private static String points(long count) {
    return count + (count == 1 ? " point" : " points");
  }

  private static String comesBack(long atLeastBytes, long atMostBytes) {
    return atLeastBytes == atMostBytes
        ? Amounts.bytes(atLeastBytes) + " come back"
        : "at least %s, at most %s come back"
            .formatted(Amounts.bytes(atLeastBytes), Amounts.bytes(atMostBytes));
  }
}
