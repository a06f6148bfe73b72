package dev.mover.proxy;

import dev.mover.transport.frame.Damage;
import dev.mover.transport.frame.VerdictFrame;

/** Hears of a verification as it goes on. Called on the caller's thread. */
public interface VerifyListener {
  /** Damaged blocks of a point whose verdict follows; as often as needed. */
  void damage(Damage damage);

  /** A point's verdict. */
  void verdict(VerdictFrame verdict);
}
