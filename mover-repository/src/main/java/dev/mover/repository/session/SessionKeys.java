package dev.mover.repository.session;

import dev.mover.api.block.SessionKey;
import dev.mover.api.block.WrappedKey;
import dev.mover.repository.file.KeyTable;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The keys of the blocks that a session stores and links to, as the table of its file will number
 * them: its own first. Strand only.
 */
final class SessionKeys {
  /** A block whose key can't be had is no block to link to. */
  static final int UNKNOWN = -1;

  private static final int OWN = 1;

  private final KeyTable table = new KeyTable();
  private final boolean encrypted;
  private final Map<Held, Integer> numbers = new HashMap<>();

  /** A key as another file numbers it. */
  private record Held(UUID file, int key) {}

  SessionKeys(@Nullable SessionKey own) {
    encrypted = own != null;
    if (own != null) {
      table.numberOf(own.key());
    }
  }

  KeyTable table() {
    return table;
  }

  /** Of what this session stores; 0: it does not encrypt. */
  int own() {
    return encrypted ? OWN : 0;
  }

  /**
   * The number here of a key of another file, or {@link #UNKNOWN}.
   *
   * @param look finds it there
   */
  int numberOf(UUID file, int key, Supplier<Optional<WrappedKey>> look) {
    if (encrypted != key > 0) {
      return UNKNOWN;
    }
    if (!encrypted) {
      return 0;
    }
    return numbers.computeIfAbsent(
        new Held(file, key), _ -> look.get().flatMap(table::numberOf).orElse(UNKNOWN));
  }
}
