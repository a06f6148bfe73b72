package dev.mover.repository.serve;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * Slots that were found sound, by where they were first written: clones of them are the same blocks
 * on disk. Remembers up to 16 MiB worth, that is 128 M slots; others are read again. One thread.
 */
final class Origins {
  private static final long MOST_BITS = 128L << 20;
  private static final int MOST_FILES = 64 << 10;

  private final Map<UUID, BitSet> files = new HashMap<>();
  private long bits;

  boolean isEmpty() {
    return files.isEmpty();
  }

  boolean has(UUID file, long slot) {
    BitSet sound = files.get(file);
    return sound != null && slot < MOST_BITS && sound.get((int) slot);
  }

  void add(UUID file, long slot) {
    if (slot < 0 || slot >= MOST_BITS) {
      return;
    }
    BitSet sound = files.get(file);
    long room = sound == null ? 0 : sound.size();
    boolean hasRoom = bits + slot + 1 - room <= MOST_BITS;
    if (!hasRoom || (sound == null && files.size() == MOST_FILES)) {
      return;
    }
    if (sound == null) {
      sound = new BitSet();
      files.put(file, sound);
    }
    sound.set((int) slot);
    bits += sound.size() - room;
  }
}
