package dev.mover.repository.serve;

import dev.mover.api.point.Verdict;
import java.util.ArrayList;
import java.util.List;

/** Counts what is wrong and keeps the first few sentences. Thread-safe. */
final class Findings {
  private final List<String> first = new ArrayList<>();
  private long count;

  synchronized void add(String finding) {
    count++;
    if (first.size() < Verdict.MAX_FINDINGS) {
      first.add(finding);
    }
  }

  synchronized long count() {
    return count;
  }

  synchronized List<String> first() {
    return List.copyOf(first);
  }
}
