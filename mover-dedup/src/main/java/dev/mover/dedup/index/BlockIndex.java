package dev.mover.dedup.index;

import dev.mover.api.block.BlockId;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Block id → place of a durable slot. All methods block and may be called from any thread; failures
 * are {@link dev.mover.api.error.RepositoryException} INDEX_FAILED and cost dedup, never data.
 * Lives as long as the store it came from, whose owner closes it.
 */
public interface BlockIndex {
  /** Places of {@code ids}, in their order; null where unknown. */
  List<@Nullable BlockPlace> find(List<BlockId> ids);

  /**
   * Remembers durable slots; a later place of an id replaces an earlier one. Survives a kill at
   * once, a power cut after {@link #sync}.
   */
  void put(Map<BlockId, BlockPlace> places);

  /** Forgets ids, wherever they lie. */
  void remove(List<BlockId> ids);

  /** Makes every put before this call survive a crash. */
  void sync();

  /** About how many ids there are. */
  long estimatedCount();
}
