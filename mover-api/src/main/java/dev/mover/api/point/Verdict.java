package dev.mover.api.point;

import java.util.List;

/**
 * What a verification says of one point.
 *
 * @param outcome {@code SOUND}, {@code RECOVERED} (readable, but a redundant copy is damaged) or
 *     {@code DAMAGED}
 * @param blocksChecked data blocks whose content was read and hashed; 0 for a structure check
 * @param findings one sentence each, at most {@link #MAX_FINDINGS}; empty when sound
 * @param findingCount how many there were in all
 */
public record Verdict(
    String machine,
    long sequence,
    String file,
    Outcome outcome,
    long blocksChecked,
    List<String> findings,
    long findingCount) {
  /** Enough to see the pattern; a disk may have millions of blocks. */
  public static final int MAX_FINDINGS = 20;

  public Verdict {
    findings = List.copyOf(findings);
  }

  public enum Outcome {
    SOUND,
    RECOVERED,
    DAMAGED
  }
}
