package dev.mover.repository.session;

import dev.mover.api.block.BlockId;
import dev.mover.api.error.RepositoryException;
import dev.mover.dedup.index.BlockIndex;
import dev.mover.dedup.index.BlockPlace;
import dev.mover.repository.damage.DamagedBlocks;
import dev.mover.repository.file.MapEntry.Slot;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a session knows of blocks by id: those it asked for, those it stored since the last
 * checkpoint, and the index for all others. Bounded by {@link #isFull}. An index that fails costs
 * dedup and is told once. Strand only; {@link #find} blocks.
 */
final class KnownBlocks {
  private static final Logger LOG = LoggerFactory.getLogger(KnownBlocks.class);

  /** About 150 bytes each. A checkpoint comes at 1 GiB: 1,000 to 4,000 slots, more if small. */
  static final int MAX_UNINDEXED = 32 << 10;

  private final BlockIndex index;
  private final UUID fileId;
  private final DamagedBlocks damaged;
  private final Map<BlockId, Wanted> wanted = new HashMap<>();
  private Map<BlockId, BlockPlace> stored = new HashMap<>();
  private Map<BlockId, BlockPlace> beingIndexed = Map.of();
  private boolean indexFailed;

  KnownBlocks(BlockIndex index, UUID fileId, DamagedBlocks damaged) {
    this.index = index;
    this.fileId = fileId;
    this.damaged = damaged;
  }

  @Nullable Wanted wanted(BlockId id) {
    return wanted.get(id);
  }

  void want(Wanted block) {
    wanted.put(block.id(), block);
  }

  /** A wanted block has its slot, which is not durable yet. */
  void stored(Wanted block, Slot slot) {
    wanted.remove(block.id(), block);
    stored.put(block.id(), new BlockPlace(fileId, slot.offset(), slot.storedLength(), slot.key()));
  }

  @Nullable BlockPlace ownSlot(BlockId id) {
    BlockPlace place = stored.get(id);
    return place != null ? place : beingIndexed.get(id);
  }

  /** Whether a copy of the block in {@code file} may be damaged; this session's own never is. */
  boolean isSuspect(BlockId id, UUID file) {
    return !file.equals(fileId) && damaged.isSuspect(id, file);
  }

  /** Whether a place lies in the session's own file. */
  boolean isOwn(BlockPlace place) {
    return place.fileId().equals(fileId);
  }

  boolean isFull() {
    return stored.size() >= MAX_UNINDEXED;
  }

  boolean hasUnindexed() {
    return !stored.isEmpty();
  }

  /** What became of blocks in other files; null where unknown. */
  List<@Nullable BlockPlace> find(List<BlockId> ids) {
    if (ids.isEmpty() || indexFailed) {
      return Collections.nCopies(ids.size(), null);
    }
    try {
      return index.find(ids);
    } catch (RepositoryException e) {
      indexFailed(e);
      return Collections.nCopies(ids.size(), null);
    }
  }

  /** The slots stored so far, to be put into the index once they are durable. */
  Map<BlockId, BlockPlace> beginIndexing() {
    beingIndexed = stored;
    stored = new HashMap<>();
    return beingIndexed;
  }

  void endIndexing() {
    beingIndexed = Map.of();
  }

  void indexFailed(RepositoryException e) {
    if (!indexFailed) {
      indexFailed = true;
      LOG.warn("known blocks will be stored again: {}", e.getMessage());
    }
  }

  /** Whether dedup went without the index. */
  boolean hasIndexFailed() {
    return indexFailed;
  }
}
