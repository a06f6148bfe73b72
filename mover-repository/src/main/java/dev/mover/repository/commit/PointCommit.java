package dev.mover.repository.commit;

import dev.mover.api.memory.BufferPool;
import dev.mover.repository.commit.CommitOutcome.Done;
import dev.mover.repository.commit.CommitOutcome.Missing;
import dev.mover.repository.damage.DamagedBlocks;
import dev.mover.repository.extent.ExtentError;
import dev.mover.repository.extent.ExtentFiles;
import dev.mover.repository.extent.ExtentMode;
import dev.mover.repository.extent.ExtentRates;
import dev.mover.repository.file.FileRecord;
import dev.mover.repository.file.Footer;
import dev.mover.repository.file.MapEntry;
import dev.mover.repository.file.MapEntry.Slot;
import dev.mover.repository.file.OpenMap;
import dev.mover.repository.file.Page;
import dev.mover.repository.file.PointWriter;
import dev.mover.repository.file.PointWriter.FileTable;
import dev.mover.repository.file.SlotHeader;
import dev.mover.repository.order.SlotOrder;
import dev.mover.repository.order.SlotUse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Commits a session. Write order: slots (before), clones, metadata twice → sync → footer at the
 * tail and in the superblock → sync → rename of {@code .partial} to {@code .mbf} without replacing:
 * <b>the rename is the commit</b> → sync of the folder. When it returns {@link Done}, the point
 * survives a power cut; when it throws or the machine stops at any step, there is a partial or the
 * whole point. A failed sync is never retried. One thread; blocks.
 */
public final class PointCommit {
  private static final int LINKED = 60;
  private static final int WRITTEN = 90;

  private final ExtentFiles files;
  private final ExtentMode mode;
  private final DamagedBlocks damaged;
  private final BufferPool pool;
  private final ExtentRates rates;

  public PointCommit(
      ExtentFiles files,
      ExtentMode mode,
      DamagedBlocks damaged,
      BufferPool pool,
      ExtentRates rates) {
    this.files = files;
    this.mode = mode;
    this.damaged = damaged;
    this.pool = pool;
    this.rates = rates;
  }

  /**
   * Runs the commit to its end, once; again after {@link Missing} blocks came.
   *
   * @throws dev.mover.api.error.RepositoryException REPOSITORY_FULL, REPOSITORY_WRITE_FAILED
   */
  public CommitOutcome run(EndedSession session, CommitWatch watch) {
    try (SlotOrder moving = new SlotOrder(files, session.scratch().resolve("moving"), pool);
        SlotOrder staying = new SlotOrder(files, session.scratch().resolve("staying"), pool)) {
      List<Missing.Block> damagedLinks = collect(session, moving, staying, watch);
      if (!damagedLinks.isEmpty()) {
        return new Missing(damagedLinks);
      }
      Linking linking = new Linking(session, mode, damaged, pool, rates, watch);
      List<Missing.Block> missing = linking.run(moving);
      if (!missing.isEmpty()) {
        damaged.sync();
        return new Missing(missing);
      }
      List<String> warnings = linking.warning().stream().toList();
      Footer footer =
          mode.clones()
              ? finish(session, FileTable.NONE, watch)
              : withFileTable(session, staying, watch);
      return new Done(footer, linking.runs(), linking.copiedBytes(), warnings);
    }
  }

  /**
   * Adds all links to {@code moving}, whose slots are brought into this file; where nothing can be
   * cloned, those into committed files to {@code staying}: what a dead session left is copied
   * there, as its partial goes. Returns blocks that have nothing to link to: what they were to be
   * linked to was damaged already, or was found to be since.
   */
  private List<Missing.Block> collect(
      EndedSession session, SlotOrder moving, SlotOrder staying, CommitWatch watch) {
    List<Missing.Block> missing = new ArrayList<>();
    for (int disk = 0; disk < session.disks().size(); disk++) {
      OpenMap map = session.disks().get(disk).map();
      long block = 0;
      for (long entry = 0; entry < map.entries() && missing.size() < Missing.MOST; entry++) {
        MapEntry at = map.get(entry);
        if (at instanceof Slot slot && !isSound(session, slot)) {
          missing.add(new Missing.Block(disk, block, entry, slot.id()));
        } else if (at instanceof Slot slot && slot.file() != 0) {
          boolean moves = mode.clones() || session.sources().source(slot.file()).isPartial();
          (moves ? moving : staying)
              .add(
                  new SlotUse(
                      slot.file(),
                      slot.offset(),
                      slot.storedLength(),
                      disk,
                      entry,
                      slot.id(),
                      slot.key()));
        }
        block += at.blocks();
      }
      map.park(); // one window at a time, however many disks
      watch.checkCancelled();
    }
    return missing;
  }

  private boolean isSound(EndedSession session, Slot slot) {
    return !slot.isPending()
        && (slot.file() == 0
            || !damaged.isSuspect(slot.id(), session.sources().source(slot.file()).fileId()));
  }

  /** Where nothing can be cloned, links stay links: the file table says what they use. */
  private Footer withFileTable(EndedSession session, SlotOrder order, CommitWatch watch) {
    try (RangeSpool spool = new RangeSpool(files, session.scratch().resolve("ranges"), pool)) {
      FileRecord[] table = new FileRecord[session.sources().count()];
      for (int i = 0; i < table.length; i++) {
        SourceFiles.Source source = session.sources().source(i + 1);
        table[i] = new FileRecord(source.fileId(), source.sequence(), 0, 0, 0);
      }
      SlotUse use = order.next();
      while (use != null) {
        int number = use.file();
        long first = spool.count();
        long used = 0;
        while (use != null && use.file() == number) {
          long from = use.offset();
          long end = from;
          while (use != null && use.file() == number && use.offset() <= end) {
            end = Math.max(end, use.offset() + occupied(use));
            use = order.next();
          }
          spool.add(from, end - from);
          used += end - from;
        }
        FileRecord record = table[number - 1];
        table[number - 1] =
            new FileRecord(record.fileId(), record.sequence(), first, spool.count() - first, used);
      }
      FileTable fileTable = new FileTable(List.of(table), spool.count(), spool::at);
      return finish(session, fileTable, watch);
    }
  }

  private int occupied(SlotUse use) {
    return SlotHeader.occupied(use.storedLength(), mode.slotAlignment());
  }

  private Footer finish(EndedSession session, FileTable table, CommitWatch watch) {
    watch.checkCancelled();
    watch.progress(LINKED, "writing the map");
    PointWriter writer =
        new PointWriter(session.partial().file(), session.partial().superblock(), pool);
    Path partial = session.partial().path();
    Path folder = Objects.requireNonNull(partial.getParent(), "a partial lies in a folder");
    try {
      Footer footer =
          writer.finish(
              session.sequence(),
              session.createdAt(),
              new ArrayList<>(session.disks()),
              table,
              session.keys().keys(),
              session.partial().tail(),
              session.partial().storedBytes(),
              session.linkedBytes());
      watch.progress(WRITTEN, "naming the point");
      watch.checkCancelled();
      files.renameWithoutReplacing(partial, session.point());
      files.syncDirectory(folder);
      return footer;
    } catch (IOException e) {
      throw ExtentError.writing(partial.toString(), metadataBytes(session), e);
    }
  }

  /** About what the maps take, both copies: for the message, when they don't fit. */
  private static long metadataBytes(EndedSession session) {
    long entries = session.disks().stream().mapToLong(d -> d.map().entries()).sum();
    return 2 * (entries * MapEntry.BYTES + Page.BYTES);
  }
}
