package dev.mover.dedup.index.rocks;

import dev.mover.api.block.BlockId;
import dev.mover.dedup.index.BlockIndex;
import dev.mover.dedup.index.BlockPlace;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
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
    eachBatch(
        List.copyOf(places.entrySet()),
        (db, batch, place) ->
            batch.put(db.index(), place.getKey().bytes(), PlaceCodec.encode(place.getValue())));
  }

  @Override
  public void remove(List<BlockId> ids) {
    eachBatch(ids, (db, batch, id) -> batch.delete(db.index(), id.bytes()));
  }

  /** Adds a change to a batch. */
  @FunctionalInterface
  private interface Change<T> {
    void add(RocksStore.Database db, WriteBatch batch, T item) throws RocksDBException;
  }

  private <T> void eachBatch(List<T> items, Change<T> change) {
    for (int from = 0; from < items.size(); from += MAX_BATCH) {
      List<T> some = items.subList(from, Math.min(from + MAX_BATCH, items.size()));
      store.write(
          db -> {
            try (WriteBatch batch = new WriteBatch()) {
              for (T item : some) {
                change.add(db, batch, item);
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
