package dev.mover.dedup.index.rocks;

import dev.mover.dedup.index.Catalogue;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.rocksdb.RocksIterator;

/** The column family {@code points}: UTF-8 key → value. */
final class RocksCatalogue implements Catalogue {
  private final RocksStore store;

  RocksCatalogue(RocksStore store) {
    this.store = store;
  }

  @Override
  public void put(String key, byte[] value) {
    store.write(
        db -> {
          db.rocks().put(db.points(), db.write(), RocksStore.utf8(key), value);
          return true;
        });
  }

  @Override
  public Optional<byte[]> get(String key) {
    return store.read(
        db -> Optional.ofNullable(db.rocks().get(db.points(), db.read(), RocksStore.utf8(key))));
  }

  @Override
  public void remove(String key) {
    store.write(
        db -> {
          db.rocks().delete(db.points(), db.write(), RocksStore.utf8(key));
          return true;
        });
  }

  @Override
  public List<Entry> list(String prefix, String after, int limit) {
    byte[] first = RocksStore.utf8(prefix);
    byte[] previous = RocksStore.utf8(after);
    return store.read(
        db -> {
          List<Entry> found = new ArrayList<>();
          try (RocksIterator at = db.rocks().newIterator(db.points(), db.read())) {
            at.seek(Arrays.compareUnsigned(first, previous) > 0 ? first : previous);
            for (; at.isValid() && found.size() < limit; at.next()) {
              byte[] key = at.key();
              if (!startsWith(key, first)) {
                break;
              }
              if (!Arrays.equals(key, previous)) {
                found.add(new Entry(new String(key, StandardCharsets.UTF_8), at.value()));
              }
            }
            at.status();
          }
          return found;
        });
  }

  private static boolean startsWith(byte[] key, byte[] prefix) {
    return key.length >= prefix.length
        && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
  }
}
