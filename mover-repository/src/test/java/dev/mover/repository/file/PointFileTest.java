package dev.mover.repository.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.block.SessionKey;
import dev.mover.api.block.WrappedKey;
import dev.mover.api.error.DataException;
import dev.mover.api.error.Side;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.point.DiskSpec;
import dev.mover.api.point.Name;
import dev.mover.repository.extent.ExtentFile;
import dev.mover.repository.extent.ExtentFiles;
import dev.mover.repository.extent.LinuxExtentFiles;
import dev.mover.repository.file.MapEntry.Slot;
import dev.mover.repository.file.MapEntry.Zeros;
import dev.mover.repository.file.PointWriter.EndedDisk;
import dev.mover.repository.file.PointWriter.FileTable;
import dev.mover.repository.file.PointWriter.Range;
import dev.mover.testkit.Seeds;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Maps from open session to committed file and back, against lists. */
class PointFileTest {
  private static final int KEYS = 70;
  private static final BlockSize SIZE = BlockSize.MIB_1;

  private final ExtentFiles files = new LinuxExtentFiles(true);
  private final BufferPool pool = new BufferPool("test", Side.REPOSITORY, 4 << 20);
  @TempDir Path temp;

  @AfterEach
  void everyBufferCameBack() {
    assertThat(pool.leasedBytes()).isZero();
  }

  @Test
  void openMapIsAListOfEntries() {
    Seeds.check(
        20,
        random -> {
          List<MapEntry> model = new ArrayList<>();
          try (OpenMap map = new OpenMap(files.scratch(temp.resolve("map")), pool)) {
            for (int step = 0; step < 6000; step++) {
              change(random, map, model);
            }
            assertThat(map.entries()).isEqualTo(model.size());
            for (int i = 0; i < model.size(); i++) {
              assertThat(map.get(i)).isEqualTo(model.get(i));
            }
          }
        });
  }

  private static void change(RandomGenerator random, OpenMap map, List<MapEntry> model) {
    switch (random.nextInt(20)) {
      case 0 -> map.park();
      case 1, 2 -> {
        long blocks = 1L + random.nextInt(1000);
        map.append(new Zeros(blocks));
        if (!model.isEmpty() && model.getLast() instanceof Zeros before) {
          model.set(model.size() - 1, new Zeros(before.blocks() + blocks));
        } else {
          model.add(new Zeros(blocks));
        }
      }
      case 3 -> {
        if (!model.isEmpty()) {
          int at = random.nextInt(model.size());
          if (model.get(at) instanceof Slot) {
            Slot slot = slot(random, 0);
            map.fill(at, slot);
            model.set(at, slot);
          }
        }
      }
      case 4 -> fillMany(random, map, model);
      default -> {
        Slot slot = slot(random, 0);
        assertThat(map.append(slot)).isEqualTo(model.size());
        model.add(slot);
      }
    }
  }

  private static void fillMany(RandomGenerator random, OpenMap map, List<MapEntry> model) {
    List<OpenMap.Filled> filled = new ArrayList<>();
    for (int at = random.nextInt(500); at < model.size(); at += 1 + random.nextInt(200)) {
      if (model.get(at) instanceof Slot) {
        Slot slot = slot(random, 0);
        filled.add(new OpenMap.Filled(at, slot));
        model.set(at, slot);
      }
    }
    map.fillAll(filled);
  }

  private static Slot slot(RandomGenerator random, int files) {
    return new Slot(
        random.nextInt(files + 1),
        129 + random.nextInt(SlotHeader.MAX_STORED - 128),
        4096L * (1 + random.nextInt(1 << 20)),
        new BlockId(random.nextLong(), random.nextLong(), random.nextLong(), random.nextLong()),
        1 + random.nextInt(KEYS));
  }

  @Test
  void committedMapIsTheOpenMap() {
    Seeds.check(
        12,
        random -> {
          Path path = temp.resolve(UUID.randomUUID() + ".mbf");
          List<List<MapEntry>> model = write(path, random, 3);
          try (BackupFile file = BackupFile.open(files, path, pool)) {
            assertThat(new CopyCheck(file).findings()).isEmpty();
            assertThat(file.keys(0, KEYS + 1)).isEqualTo(keys());
            assertThat(file.keys(40, 1)).isEqualTo(keys().subList(40, 41));
            assertThat(file.keys(KEYS, 1)).isEmpty();
            for (int disk = 0; disk < model.size(); disk++) {
              assertWalks(file, disk, model.get(disk));
              assertSeeks(random, file, disk, model.get(disk));
            }
          }
          Files.delete(path);
        });
  }

  private static void assertWalks(BackupFile file, int disk, List<MapEntry> model) {
    List<MapEntry> walked = new ArrayList<>();
    long block = 0;
    try (MapCursor cursor = file.map(disk)) {
      while (cursor.next()) {
        assertThat(cursor.block()).isEqualTo(block);
        block = cursor.endBlock();
        walked.add(cursor.entry());
      }
    }
    assertThat(walked).isEqualTo(model);
  }

  private static void assertSeeks(
      RandomGenerator random, BackupFile file, int disk, List<MapEntry> model) {
    List<Long> firsts = new ArrayList<>();
    long blocks = 0;
    for (MapEntry entry : model) {
      firsts.add(blocks);
      blocks += entry.blocks();
    }
    try (MapCursor cursor = file.map(disk)) {
      assertThat(cursor.seek(blocks)).isFalse();
      for (int i = 0; i < 300 && !model.isEmpty(); i++) {
        int entry = random.nextInt(model.size());
        long block = firsts.get(entry) + random.nextLong(model.get(entry).blocks());
        assertThat(cursor.seek(block)).isTrue();
        assertThat(cursor.block()).isEqualTo(firsts.get(entry));
        assertThat(cursor.entry()).isEqualTo(model.get(entry));
      }
    }
  }

  /** Writes a point of random maps whose slots lie nowhere, and returns the maps. */
  private List<List<MapEntry>> write(Path path, RandomGenerator random, int fileCount)
      throws Exception {
    Superblock superblock =
        new Superblock(
            new Name("m"),
            UUID.randomUUID(),
            UUID.randomUUID(),
            SIZE,
            4096,
            Instant.EPOCH,
            new SessionKey(new UUID(1, 2), keys().getFirst()));
    List<List<MapEntry>> model = new ArrayList<>();
    List<EndedDisk> disks = new ArrayList<>();
    List<FileRecord> table = new ArrayList<>();
    for (int i = 0; i < fileCount; i++) {
      table.add(new FileRecord(UUID.randomUUID(), i + 1, i * 400L, 400, 400L * 4096));
    }
    try (ExtentFile file = files.create(path)) {
      PointWriter.begin(file, superblock, pool);
      int count = 1 + random.nextInt(25);
      for (int disk = 0; disk < count; disk++) {
        OpenMap map = new OpenMap(files.scratch(temp.resolve("disk-" + disk)), pool);
        List<MapEntry> entries = new ArrayList<>();
        int wanted = random.nextInt(disk == 0 ? 9000 : 300);
        for (int i = 0; i < wanted; i++) {
          boolean zeros =
              random.nextInt(9) == 0 && (entries.isEmpty() || entries.getLast() instanceof Slot);
          MapEntry entry =
              zeros ? new Zeros(1 + random.nextLong(1L << 30)) : slot(random, fileCount);
          map.append(entry);
          entries.add(entry);
        }
        long blocks = entries.stream().mapToLong(MapEntry::blocks).sum();
        DiskSpec spec = new DiskSpec(new Name("disk-" + disk), bytes(blocks), 512);
        disks.add(new EndedDisk(spec, new BlockId(1, 2, 3, disk), new BlockId(4, 5, 6, disk), map));
        model.add(entries);
      }
      new PointWriter(file, superblock, pool)
          .finish(
              1,
              Instant.EPOCH,
              disks,
              new FileTable(table, fileCount * 400L, i -> new Range(4096 * i, 4096)),
              keys(),
              1L << 33,
              0,
              0);
    } finally {
      disks.forEach(d -> d.map().close());
    }
    return model;
  }

  /** More than two pages of them. */
  private static List<WrappedKey> keys() {
    List<WrappedKey> keys = new ArrayList<>();
    for (int i = 1; i <= KEYS; i++) {
      byte[] bytes = new byte[1 + i % WrappedKey.MAX_BYTES];
      bytes[i % bytes.length] = (byte) i;
      keys.add(new WrappedKey(new UUID(i, i), bytes));
    }
    return keys;
  }

  private static long bytes(long blocks) {
    // A map may cover more than a disk can have in these random cases: the last block is short
    // then.
    return Math.multiplyExact(blocks, (long) SIZE.bytes());
  }

  @Test
  void aFileThatEndsEarlyIsDamagedAndNothingElse() {
    Seeds.check(
        20,
        random -> {
          Path path = temp.resolve(UUID.randomUUID() + ".mbf");
          write(path, random, 0);
          byte[] start = new byte[random.nextInt(3 * 4096)];
          try (var in = Files.newInputStream(path)) {
            assertThat(in.readNBytes(start, 0, start.length)).isEqualTo(start.length);
          }
          Files.write(path, start);
          assertThatThrownBy(() -> BackupFile.open(files, path, pool).close())
              .isInstanceOf(DataException.class);
          Files.delete(path);
        });
  }
}
