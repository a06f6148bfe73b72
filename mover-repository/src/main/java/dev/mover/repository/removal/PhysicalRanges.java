package dev.mover.repository.removal;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** A set of bytes of a device, held as ranges that don't touch. One thread. */
final class PhysicalRanges {
  private final NavigableMap<Long, Long> ends = new TreeMap<>();
  private long bytes;

  long bytes() {
    return bytes;
  }

  int count() {
    return ends.size();
  }

  /** Adds what lies in between, as far as it is not in yet. */
  void add(long from, long end) {
    if (from >= end) {
      return;
    }
    long first = from;
    long last = end;
    Map.Entry<Long, Long> before = ends.floorEntry(last);
    while (before != null && before.getValue() >= first) {
      first = Math.min(first, before.getKey());
      last = Math.max(last, before.getValue());
      take(before);
      before = ends.floorEntry(last);
    }
    put(first, last);
  }

  /** Takes out what lies in between. */
  void remove(long from, long end) {
    if (from >= end) {
      return;
    }
    Map.Entry<Long, Long> before = ends.lowerEntry(end);
    while (before != null && before.getValue() > from) {
      take(before);
      put(before.getKey(), Math.min(before.getValue(), from));
      put(Math.max(before.getKey(), end), before.getValue());
      before = ends.lowerEntry(end);
    }
  }

  /** Takes out the last range, of a set that isn't empty; returns where it began. */
  long removeLast() {
    Map.Entry<Long, Long> last = ends.lastEntry();
    take(last);
    return last.getKey();
  }

  void clear() {
    ends.clear();
    bytes = 0;
  }

  private void take(Map.Entry<Long, Long> range) {
    ends.remove(range.getKey());
    bytes -= range.getValue() - range.getKey();
  }

  private void put(long from, long end) {
    if (from < end) {
      ends.put(from, end);
      bytes += end - from;
    }
  }
}
