package dev.mover.repository.session;

import dev.mover.api.error.DataException;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.Side;
import dev.mover.api.point.Name;
import dev.mover.repository.commit.CommitOutcome;
import dev.mover.transport.frame.Ack;
import dev.mover.transport.frame.Need;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a commit could not link, and the proxy is asked to send after all. Strand only. */
final class Needs {
  /** Each asks for thousands of blocks: a machine that lost more is better started anew. */
  private static final int MOST_ROUNDS = 64;

  private final Name machine;
  private final OfferDesk desk;
  private final List<DiskStream> disks;
  private int rounds;

  Needs(Name machine, OfferDesk desk, List<DiskStream> disks) {
    this.machine = machine;
    this.desk = desk;
    this.disks = disks;
  }

  /** Wants what is missing; what the proxy is to be told, empty when all of it is here already. */
  List<Need> ask(CommitOutcome.Missing missing) {
    if (++rounds > MOST_ROUNDS) {
      throw new DataException(
          ErrorCode.BLOCK_DAMAGED,
          Side.REPOSITORY,
          "%s: more than %d blocks it was linked to are damaged; check the extent's disks, verify --data, and run the backup again, which takes up where this one ended"
              .formatted(machine, MOST_ROUNDS * (long) missing.blocks().size()));
    }
    Map<Integer, List<Long>> asked = new TreeMap<>();
    for (CommitOutcome.Missing.Block b : missing.blocks()) {
      if (desk.wantAgain(disks.get(b.disk()), b.block(), b.entry(), b.id())) {
        asked.computeIfAbsent(b.disk(), _ -> new ArrayList<>()).add(b.block());
      }
    }
    return frames(asked);
  }

  /** What was asked for and has not come, for a proxy that may not have heard it. */
  List<Need> still() {
    Map<Integer, List<Long>> asked = new TreeMap<>();
    desk.wantedAgain()
        .forEach(w -> asked.computeIfAbsent(w.disk(), _ -> new ArrayList<>()).add(w.block()));
    return frames(asked);
  }

  /** In frames, the last of which says so. */
  private static List<Need> frames(Map<Integer, List<Long>> asked) {
    List<Need> needs = new ArrayList<>();
    asked.forEach(
        (disk, blocks) -> {
          for (int from = 0; from < blocks.size(); from += Ack.MAX_BLOCKS) {
            int to = Math.min(from + Ack.MAX_BLOCKS, blocks.size());
            needs.add(new Need(disk, blocks.subList(from, to), false));
          }
        });
    if (!needs.isEmpty()) {
      Need last = needs.removeLast();
      needs.add(new Need(last.disk(), last.blocks(), true));
    }
    return needs;
  }
}
