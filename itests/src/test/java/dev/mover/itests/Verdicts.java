package dev.mover.itests;

import dev.mover.api.point.Verdict;
import dev.mover.proxy.VerifyListener;
import dev.mover.transport.frame.Damage;
import dev.mover.transport.frame.VerdictFrame;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Keeps the verdicts of a verification. */
final class Verdicts implements VerifyListener {
  private final List<Verdict> list = new ArrayList<>();

  List<Verdict> list() {
    return list;
  }

  @Override
  public void damage(Damage damage) {
    // the verdict says it too
  }

  @Override
  public void verdict(VerdictFrame frame) {
    list.add(Objects.requireNonNull(frame.verdict(), "only the last has none, and isn't told"));
  }
}
