package dev.mover.repository;

import dev.mover.api.block.BlockSize;
import dev.mover.api.point.Name;
import dev.mover.api.point.Removal;
import dev.mover.api.point.RemovalMode;
import dev.mover.api.point.Retention;
import dev.mover.transport.frame.Delete;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.Removed;
import dev.mover.transport.frame.Retain;
import dev.mover.transport.link.LinkServer;
import java.util.ArrayList;
import java.util.List;

/** What a DELETE or RETAIN was answered. */
record ScriptedRemoval(List<Removal> removals, long points, long freedBytes) {
  /** Deletes one point; 0: all, and the machine. */
  static ScriptedRemoval delete(LinkServer server, String machine, long sequence) {
    return ask(server, new Delete(new Name(machine), sequence, RemovalMode.DELETE));
  }

  static ScriptedRemoval planned(LinkServer server, String machine, long sequence) {
    return ask(server, new Delete(new Name(machine), sequence, RemovalMode.ESTIMATE));
  }

  /** What would come back, exactly. */
  static long exactBytes(LinkServer server, String machine, long sequence) {
    return ask(server, new Delete(new Name(machine), sequence, RemovalMode.EXACT)).freedBytes();
  }

  static long exactBytes(LinkServer server, Retention keep) {
    return retain(server, "", keep, RemovalMode.EXACT).freedBytes();
  }

  static ScriptedRemoval retain(
      LinkServer server, String machine, Retention keep, RemovalMode mode) {
    return ask(server, new Retain(machine, keep, mode));
  }

  private static ScriptedRemoval ask(LinkServer server, Frame question) {
    try (ScriptedProxy link = new ScriptedProxy(server, BlockSize.MIB_1)) {
      link.send(question);
      List<Removal> removals = new ArrayList<>();
      while (true) {
        Removed frame = link.expect(Removed.class);
        Removal removal = frame.removal();
        if (removal == null) {
          return new ScriptedRemoval(removals, frame.points(), frame.freedBytes());
        }
        removals.add(removal);
      }
    }
  }

  /** Of its only machine. */
  Removal only() {
    if (removals.size() != 1) {
      throw new AssertionError("not one machine: " + removals);
    }
    return removals.getFirst();
  }
}
