package dev.mover.repository.damage;

import dev.mover.api.block.BlockId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Remembers damage, so that no later point is made of it. What is damaged is a copy of a block on
 * disk, but where else that copy was cloned to nobody knows: so a block that was found damaged
 * anywhere is suspect everywhere, except in files whose session opened <em>after</em> that. Such a
 * session takes suspect blocks from its proxy or from other such files only, so its file is good
 * for the next to link to: that is how a repository heals, machine by machine, whatever else is
 * linked to the bad copy.
 *
 * <p>The order of damage and openings is that of their records in the file {@code damaged} beside
 * the backup files, which outlives the index. Nothing is written while no damage is known.
 *
 * <p>Thread-safe; all methods but {@link #isSuspect} block on that file. While it can't be written
 * damage is known all the same, and written later; a restart before that forgets it.
 */
public final class DamagedBlocks {
  private static final Logger LOG = LoggerFactory.getLogger(DamagedBlocks.class);

  /** About 100 bytes each. Beyond it every block counts as damaged, and all of them heal alike. */
  static final int MOST_BLOCKS = 128 << 10;

  /** About 110 bytes each. A file that is forgotten costs blocks sent again. */
  private static final int MOST_FILES = 64 << 10;

  /** About 100 bytes each. Beyond it what was found on a full disk is forgotten at a restart. */
  private static final int MOST_UNSAVED = 64 << 10;

  private final DamageLog log;
  private final int most;
  private final Consumer<BlockId> forget;
  private final Map<BlockId, Long> blocks = new HashMap<>();
  private final Map<UUID, Long> files =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, Long> eldest) {
          return size() > MOST_FILES;
        }
      };
  private final Deque<DamageRecord> unsaved = new ArrayDeque<>();
  private long everything;
  private long records;
  private long lastDamage;
  private volatile boolean any;

  private DamagedBlocks(Path path, int most, Consumer<BlockId> forget) {
    this.log = new DamageLog(path);
    this.most = most;
    this.forget = forget;
  }

  /**
   * For the one writer of a repository.
   *
   * @param forget takes a block out of the index
   * @param present ids of all backup files there are; asked when damage is known only
   */
  public static DamagedBlocks open(
      Path path, Consumer<BlockId> forget, Supplier<Stream<UUID>> present) {
    return open(path, MOST_BLOCKS, forget, present);
  }

  static DamagedBlocks open(
      Path path, int most, Consumer<BlockId> forget, Supplier<Stream<UUID>> present) {
    DamagedBlocks damaged = new DamagedBlocks(path, most, forget);
    damaged.begin(present);
    return damaged;
  }

  /** For a reader beside the writer: it adds what it finds where it may, and nothing elsewhere. */
  public static DamagedBlocks besideWriter(Path path) {
    DamagedBlocks damaged = new DamagedBlocks(path, MOST_BLOCKS, _ -> {});
    damaged.readOn();
    return damaged;
  }

  /**
   * Whether that file's copy of a block may be a damaged one. Never blocks for long.
   *
   * @param fileId a backup file that has the block, its own or linked
   */
  public boolean isSuspect(BlockId id, UUID fileId) {
    return any && isKnown(id, fileId);
  }

  private synchronized boolean isKnown(BlockId id, UUID fileId) {
    return Math.max(everything, blocks.getOrDefault(id, 0L)) > files.getOrDefault(fileId, 0L);
  }

  /** How many blocks are known to be damaged. */
  public synchronized int count() {
    return blocks.size();
  }

  /**
   * A session begins to write {@code fileId}: from now on it asks {@link #isSuspect} before it
   * links, so its file is good for all damage known by now.
   */
  public synchronized void opened(UUID fileId) {
    readOn();
    if (any) {
      add(DamageRecord.opened(fileId));
    }
  }

  /** Whether anything is damaged, as far as this process knows. Never blocks. */
  public boolean isAny() {
    return any;
  }

  /** What is known now: see {@link #sound}. */
  public synchronized long asOf() {
    readOn();
    return records;
  }

  /**
   * Every suspect block of {@code fileId} was found sound, or was replaced by a sound one. Nothing
   * is written when more damage was found since: it may be of this file too.
   *
   * @param asOf when that began
   */
  public synchronized void sound(UUID fileId, long asOf) {
    readOn();
    if (any && lastDamage <= asOf) {
      add(DamageRecord.opened(fileId));
    }
  }

  /** Two looks at a block that {@code fileId} has agree that it is damaged. */
  public synchronized void mark(BlockId id, UUID fileId) {
    readOn();
    if (isKnown(id, fileId)) {
      return;
    }
    LOG.warn(
        "block {} in file {} is damaged: it is linked no more, the next backup that has it stores it again",
        id,
        fileId);
    add(
        blocks.size() < most || blocks.containsKey(id)
            ? DamageRecord.damaged(id, fileId)
            : DamageRecord.everything());
    forget.accept(id);
  }

  /** What was marked survives a power cut when this returns. */
  public synchronized void sync() {
    if (!unsaved.isEmpty()) {
      save();
    }
    try {
      log.sync();
    } catch (IOException e) {
      LOG.warn("{}: damage found may be forgotten: {}", log.path(), e.getMessage());
    }
  }

  /**
   * Forgets damage that no file has any more. In memory: the file is put in order when it is opened
   * next.
   *
   * @param present ids of all backup files there are; asked when damage is known only
   */
  public void forgetGone(Supplier<Stream<UUID>> present) {
    if (any) {
      prune(present);
    }
  }

  private void begin(Supplier<Stream<UUID>> present) {
    try {
      log.create();
      if (!readOn()) {
        return; // what was not read must not be written over
      }
      boolean torn = log.tornTail().isPresent();
      if (any) {
        prune(present);
      }
      if (torn || live() < log.readRecords()) {
        log.replace(inOrder());
      }
    } catch (IOException e) {
      LOG.warn("{}: could not be put in order: {}", log.path(), e.getMessage());
    }
  }

  /** Drops damage that no file can have any more, and files that are gone. */
  private synchronized void prune(Supplier<Stream<UUID>> present) {
    Map<UUID, Long> left = new HashMap<>();
    try (Stream<UUID> all = present.get()) {
      all.forEach(file -> left.put(file, files.getOrDefault(file, 0L)));
    }
    long oldest = left.values().stream().mapToLong(Long::longValue).min().orElse(Long.MAX_VALUE);
    files.keySet().retainAll(left.keySet());
    blocks.values().removeIf(at -> at < oldest);
    everything = everything < oldest ? 0 : everything;
    any = everything > 0 || !blocks.isEmpty();
    if (!any) {
      files.clear();
    }
  }

  private synchronized long live() {
    return (long) blocks.size() + files.size() + (everything > 0 ? 1 : 0);
  }

  private synchronized List<DamageRecord> inOrder() {
    Map<DamageRecord, Long> all = new HashMap<>();
    // Where a block was found is of use to people only, and they were told.
    blocks.forEach((id, at) -> all.put(DamageRecord.damaged(id, new UUID(0, 0)), at));
    files.forEach((file, at) -> all.put(DamageRecord.opened(file), at));
    if (everything > 0) {
      all.put(DamageRecord.everything(), everything);
    }
    return all.entrySet().stream()
        .sorted(Comparator.comparingLong(Map.Entry::getValue))
        .map(Map.Entry::getKey)
        .toList();
  }

  private void add(DamageRecord record) {
    if (unsaved.size() < MOST_UNSAVED) {
      unsaved.add(record);
    }
    if (!save()) {
      take(record);
    }
  }

  /** Appends what could not be before, as on a full disk, and reads it back. */
  private boolean save() {
    try {
      while (!unsaved.isEmpty()) {
        log.append(unsaved.element());
        unsaved.remove();
      }
      readOn();
      return true;
    } catch (IOException e) {
      LOG.warn("{}: not remembered after a restart, for now: {}", log.path(), e.getMessage());
      return false;
    }
  }

  /** False when it could not be read. */
  private synchronized boolean readOn() {
    try {
      log.readOn(this::take);
      return true;
    } catch (IOException e) {
      LOG.error("{}: could not be read, so nothing is linked: {}", log.path(), e.getMessage());
      take(DamageRecord.everything());
      return false;
    }
  }

  private void take(DamageRecord record) {
    long at = ++records;
    switch (record.kind()) {
      case DAMAGED -> {
        blocks.put(record.id(), at);
        lastDamage = at;
      }
      case OPENED -> files.put(record.fileId(), at);
      case EVERYTHING -> {
        everything = at;
        lastDamage = at;
        blocks.clear();
      }
    }
    any = everything > 0 || !blocks.isEmpty();
  }
}
