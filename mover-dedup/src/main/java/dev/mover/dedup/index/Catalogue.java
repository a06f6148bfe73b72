package dev.mover.dedup.index;

import java.util.List;
import java.util.Optional;

/**
 * Small named records beside the index: descriptions of points for fast listings. Keys are ordered
 * by their bytes. Same threads and failures as {@link BlockIndex}.
 */
public interface Catalogue {
  void put(String key, byte[] value);

  Optional<byte[]> get(String key);

  void remove(String key);

  /**
   * Entries whose key starts with {@code prefix} and comes after {@code after}, at most {@code
   * limit}.
   */
  List<Entry> list(String prefix, String after, int limit);

  /** A key and its value. */
  record Entry(String key, byte[] value) {}
}
