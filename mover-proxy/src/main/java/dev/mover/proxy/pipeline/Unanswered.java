package dev.mover.proxy.pipeline;

import static java.util.Objects.requireNonNull;

import dev.mover.api.block.BlockId;
import dev.mover.transport.frame.Answer;
import dev.mover.transport.frame.Offer;
import dev.mover.transport.frame.Zero;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;

/**
 * What a disk's task has told the repository and had no answer to, in order: the next link brings
 * it again. An ANSWER confirms its offer and the zeros before it, and zeros that follow each other
 * are one run, so there are at most two entries an offer. Guarded by the session's monitor.
 */
final class Unanswered {
  sealed interface Told {}

  private record Zeros(Zero frame) implements Told {}

  /**
   * An offer under way.
   *
   * @param again its blocks were sent on a link that was lost: which of them arrived?
   */
  record Offered(List<Unit> units, boolean again) implements Told {
    private Offer frame(int disk) {
      List<BlockId> ids = new ArrayList<>(units.size());
      units.forEach(u -> ids.add(requireNonNull(u.id)));
      return new Offer(disk, units.getFirst().block, ids);
    }

    private boolean fits(Answer answer) {
      return answer.count() == units.size() && answer.firstBlock() == units.getFirst().block;
    }
  }

  private final int disk;
  private final SessionLink link;
  private final Deque<Told> told = new ArrayDeque<>();
  private int offers;

  Unanswered(int disk, SessionLink link) {
    this.disk = disk;
    this.link = link;
  }

  /** Offers without an answer. */
  int offers() {
    return offers;
  }

  void tellZeros(long first, long count) {
    Zeros zeros = new Zeros(new Zero(disk, first, count));
    told.add(zeros);
    link.send(zeros.frame());
  }

  void tellOffer(List<Unit> units) {
    Offered offer = new Offered(units, false);
    told.add(offer);
    offers++;
    link.send(offer.frame(disk));
  }

  /** The offer that {@code answer} is for; it and what was told before it are confirmed. */
  Offered answered(Answer answer) {
    while (told.peek() instanceof Zeros) {
      told.remove();
    }
    if (!(told.peek() instanceof Offered offer) || !offer.fits(answer)) {
      throw link.violation("an answer that fits no offer: block " + answer.firstBlock());
    }
    told.remove();
    offers--;
    return offer;
  }

  /**
   * Tells everything again on a new link, and before that asks for the blocks that were sent.
   *
   * @param sent blocks without an ACK, in any order
   */
  void tellAgain(Collection<Unit> sent) {
    told.removeIf(t -> t instanceof Offered offer && offer.again());
    List<Offered> asked = runs(sent);
    asked.reversed().forEach(told::addFirst);
    offers = 0;
    for (Told t : told) {
      switch (t) {
        case Zeros zeros -> link.send(zeros.frame());
        case Offered offer -> {
          offers++;
          link.send(offer.frame(disk));
        }
      }
    }
  }

  /** The units as offers: runs of blocks that follow each other. */
  private static List<Offered> runs(Collection<Unit> sent) {
    List<Offered> runs = new ArrayList<>();
    List<Unit> run = new ArrayList<>();
    for (Unit unit : sent.stream().sorted(Comparator.comparingLong(u -> u.block)).toList()) {
      boolean follows = !run.isEmpty() && unit.block == run.getLast().block + 1;
      if (!run.isEmpty() && (!follows || run.size() == Offer.MAX_IDS)) {
        runs.add(new Offered(run, true));
        run = new ArrayList<>();
      }
      run.add(unit);
    }
    if (!run.isEmpty()) {
      runs.add(new Offered(run, true));
    }
    return runs;
  }

  /** Gives back what its blocks hold. */
  void release() {
    for (Told t : told) {
      if (t instanceof Offered offer) {
        offer.units().forEach(Unit::releasePlain);
      }
    }
  }
}
