package dev.mover.dedup.index.rocks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.dedup.index.Catalogue;
import dev.mover.testkit.Seeds;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RocksCatalogueTest {
  @TempDir Path folder;

  @Test
  void listsAsASortedMapDoes() {
    Seeds.check(
        10,
        random -> {
          Path home = Files.createTempDirectory(folder, "catalogue");
          SortedMap<String, byte[]> model = new TreeMap<>();
          try (RocksStore store = RocksStore.open(home, 4 << 20)) {
            Catalogue catalogue = store.catalogue();
            for (int i = 0; i < 300; i++) {
              change(catalogue, model, random);
            }
            for (int i = 0; i < 50; i++) {
              assertLists(catalogue, model, random);
            }
          }
        });
  }

  @Test
  void pagesThroughAPrefixWithoutGapOrRepeat() {
    try (RocksStore store = RocksStore.open(folder, 4 << 20)) {
      Catalogue catalogue = store.catalogue();
      for (String key : List.of("a", "p/", "p/1", "p/2", "p/3", "p/é", "q")) {
        catalogue.put(key, key.getBytes(StandardCharsets.UTF_8));
      }
      assertThat(keys(catalogue.list("p/", "", 2))).containsExactly("p/", "p/1");
      assertThat(keys(catalogue.list("p/", "p/1", 2))).containsExactly("p/2", "p/3");
      assertThat(keys(catalogue.list("p/", "p/3", 2))).containsExactly("p/é");
      assertThat(catalogue.list("p/", "p/é", 2)).isEmpty();
      assertThat(catalogue.list("p/", "z", 2)).isEmpty();
      assertThat(catalogue.list("", "", 0)).isEmpty();
      assertThat(catalogue.get("nothing")).isEmpty();
    }
  }

  @Test
  void keepsPointsAndIndexApart() {
    try (RocksStore store = RocksStore.open(folder, 4 << 20)) {
      store.catalogue().put("key", new byte[] {1});
      assertThat(store.index().estimatedCount()).isZero();
    }
    try (RocksStore store = RocksStore.open(folder, 4 << 20)) {
      assertThat(store.catalogue().get("key")).contains(new byte[] {1});
    }
  }

  private static void change(
      Catalogue catalogue, SortedMap<String, byte[]> model, RandomGenerator random) {
    String key = key(random);
    if (random.nextInt(4) == 0) {
      catalogue.remove(key);
      model.remove(key);
    } else {
      byte[] value = new byte[random.nextInt(100)];
      random.nextBytes(value);
      catalogue.put(key, value);
      model.put(key, value);
    }
    assertThat(catalogue.get(key).isPresent()).isEqualTo(model.containsKey(key));
  }

  private static void assertLists(
      Catalogue catalogue, SortedMap<String, byte[]> model, RandomGenerator random) {
    String prefix = random.nextBoolean() ? "" : key(random).substring(0, 1);
    String after = random.nextBoolean() ? "" : key(random);
    int limit = random.nextInt(20);
    List<String> expected =
        model.keySet().stream()
            .filter(k -> k.startsWith(prefix) && k.compareTo(after) > 0)
            .limit(limit)
            .toList();
    List<Catalogue.Entry> listed = catalogue.list(prefix, after, limit);
    assertThat(keys(listed)).isEqualTo(expected);
    listed.forEach(e -> assertThat(e.value()).isEqualTo(model.get(e.key())));
  }

  private static List<String> keys(List<Catalogue.Entry> entries) {
    return entries.stream().map(Catalogue.Entry::key).toList();
  }

  private static String key(RandomGenerator random) {
    return (char) ('a' + random.nextInt(4)) + "/" + random.nextInt(60);
  }
}
