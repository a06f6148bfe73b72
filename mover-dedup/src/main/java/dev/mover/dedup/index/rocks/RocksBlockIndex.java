package dev.mover.dedup.index.rocks;

import dev.mover.api.block.BlockId;
import dev.mover.dedup.index.BlockIndex;
import dev.mover.dedup.index.BlockPlace;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rocksdb.WriteBatch;

/** The column family {@code index}: 32-byte block id → {@link PlaceCodec 24-byte place}. */
final class RocksBlockIndex implements BlockIndex {
  /** Ids in one native call: bounds what a call holds outside the cache (some 200 KB). */
  private static final int MAX_BATCH = 1024;

  private final RocksStore store;

  RocksBlockIndex(RocksStore store) {
    this.store = store;
  }

  @Override
  public List<@Nullable BlockPlace> find(List<BlockId> ids) {
    List<@Nullable BlockPlace> places = new ArrayList<>(ids.size());
    for (int from = 0; from < ids.size(); from += MAX_BATCH) {
      List<byte[]> keys =
          ids.subList(from, Math.min(from + MAX_BATCH, ids.size())).stream()
              .map(BlockId::bytes)
              .toList();
      List<byte[]> values =
          store.read(
              db ->
                  db.rocks()
                      .multiGetAsList(
                          db.read(), Collections.nCopies(keys.size(), db.index()), keys));
      for (byte @Nullable [] value : values) {
        places.add(value == null ? null : PlaceCodec.decode(value));
      }
    }
    return places;
  }

  @Override
  public void put(Map<BlockId, BlockPlace> places) {
    Iterator<Map.Entry<BlockId, BlockPlace>> rest = places.entrySet().iterator();
    while (rest.hasNext()) {
      store.write(
          db -> {
            try (WriteBatch batch = new WriteBatch()) {
              while (rest.hasNext() && batch.count() < MAX_BATCH) {
                Map.Entry<BlockId, BlockPlace> next = rest.next();
                batch.put(db.index(), next.getKey().bytes(), PlaceCodec.encode(next.getValue()));
              }
              db.rocks().write(db.write(), batch);
              return batch.count();
            }
          });
    }
  }

  @Override
  public void remove(List<BlockId> ids) {
    Iterator<BlockId> rest = ids.iterator();
    while (rest.hasNext()) {
      store.write(
          db -> {
            try (WriteBatch batch = new WriteBatch()) {
              while (rest.hasNext() && batch.count() < MAX_BATCH) {
                batch.delete(db.index(), rest.next().bytes());
              }
              db.rocks().write(db.write(), batch);
              return batch.count();
            }
          });
    }
  }

  @Override
  public void sync() {
    store.write(
        db -> {
          db.rocks().flushWal(true);
          return true;
        });
  }

  @Override
  public long estimatedCount() {
    return store.read(db -> db.rocks().getLongProperty(db.index(), "rocksdb.estimate-num-keys"));
  }
}
