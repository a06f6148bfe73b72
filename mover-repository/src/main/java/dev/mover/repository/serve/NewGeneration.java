package dev.mover.repository.serve;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.SessionKey;
import dev.mover.repository.extent.ExtentError;
import dev.mover.repository.extent.ExtentFile;
import dev.mover.repository.extent.ExtentLayout;
import dev.mover.repository.file.BackupFile;
import dev.mover.repository.file.DiskRecord;
import dev.mover.repository.file.FileRanges;
import dev.mover.repository.file.Footer;
import dev.mover.repository.file.KeyTable;
import dev.mover.repository.file.MapCursor;
import dev.mover.repository.file.MapEntry;
import dev.mover.repository.file.MapEntry.Slot;
import dev.mover.repository.file.OpenMap;
import dev.mover.repository.file.Page;
import dev.mover.repository.file.PartialFile;
import dev.mover.repository.file.PointWriter;
import dev.mover.repository.file.PointWriter.EndedDisk;
import dev.mover.repository.file.PointWriter.FileTable;
import dev.mover.repository.file.SlotHeader;
import dev.mover.repository.file.Superblock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * Writes a point anew, with sound slots in place of damaged ones, and puts it in place of the old:
 * slots, where they were, and the sound ones behind them; metadata; sync; footers; sync; then the
 * two names are exchanged, which fails when the point was deleted meanwhile, and what has the other
 * name then is removed. So there is the old point or the new one at any moment. One thread; blocks.
 */
final class NewGeneration {
  private final ServeServices services;
  private final CheckWatch watch;
  private final OpenPoint old;

  NewGeneration(ServeServices services, CheckWatch watch, OpenPoint old) {
    this.services = services;
    this.watch = watch;
    this.old = old;
  }

  /** Brings a sound slot into the new file. */
  @FunctionalInterface
  interface Donor {
    /** Nothing when there is no room for its key. */
    Optional<Slot> bringInto(PartialFile file, KeyTable keys);
  }

  /**
   * Durable when it returns.
   *
   * @param bad which slots are damaged; those that nobody gives stay as they are
   * @throws dev.mover.api.error.MoverException and nothing has changed
   */
  void write(DamagedSlots bad, Map<BlockId, Donor> donors) {
    Path point = old.file().path();
    Path work = ExtentLayout.healing(point);
    Path folder = Objects.requireNonNull(point.getParent(), "a point lies in a folder");
    boolean removable = true;
    try {
      services.files().delete(work);
      try (PartialFile fresh =
          PartialFile.create(services.files(), work, superblock(), services.metadata())) {
        bringSlots(fresh);
        Map<BlockId, Slot> sound = new HashMap<>();
        KeyTable keys = new KeyTable();
        old.file().keys(0, KeyTable.MAX_KEYS).forEach(keys::numberOf);
        donors.forEach(
            (id, donor) -> donor.bringInto(fresh, keys).ifPresent(slot -> sound.put(id, slot)));
        finish(fresh, bad, sound, keys);
      }
      watch.checkOver();
      services.files().exchange(work, point);
      removable = false; // until the exchange is durable
      services.files().syncDirectory(folder);
      removable = true;
    } catch (IOException e) {
      throw ExtentError.writing(work.toString(), 0, e);
    } finally {
      if (removable) {
        remove(work);
      }
    }
  }

  private void remove(Path work) {
    try {
      services.files().delete(work);
    } catch (IOException e) {
      throw ExtentError.writing(work.toString(), 0, e);
    }
  }

  private Superblock superblock() {
    Footer footer = old.file().footer();
    return new Superblock(
        footer.machine(),
        footer.fileId(),
        footer.sessionId(),
        footer.blockSize(),
        footer.slotAlignment(),
        footer.createdAt(),
        old.file().keys(0, 1).stream()
            .findFirst()
            .map(own -> new SessionKey(footer.domain(), own))
            .orElse(null));
  }

  /** All slots, to the places they had: later points may use them where nothing can be cloned. */
  private void bringSlots(PartialFile fresh) {
    Footer footer = old.file().footer();
    long from = SlotHeader.occupied(Page.BYTES, footer.slotAlignment());
    long length = footer.metadata1() - from;
    long to = fresh.reserve(length);
    if (to != from) {
      throw new IllegalStateException("slots would move from " + from + " to " + to);
    }
    new SlotsCopy(services, watch, old.file().file(), fresh.file()).run(from, from + length);
  }

  private void finish(PartialFile fresh, DamagedSlots bad, Map<BlockId, Slot> sound, KeyTable keys)
      throws IOException {
    BackupFile file = old.file();
    List<EndedDisk> disks = new ArrayList<>();
    try (FileRanges ranges = file.ranges()) {
      for (int disk = 0; disk < file.disks().size(); disk++) {
        disks.add(map(disk, bad, sound));
      }
      new PointWriter(fresh.file(), fresh.superblock(), services.metadata())
          .finish(
              file.footer().sequence(),
              file.footer().createdAt(),
              disks,
              new FileTable(file.files(), ranges.count(), ranges),
              keys.keys(),
              fresh.tail(),
              file.footer().newBytes(),
              file.footer().linkedBytes());
    } finally {
      disks.forEach(disk -> disk.map().close());
    }
  }

  private EndedDisk map(int disk, DamagedSlots bad, Map<BlockId, Slot> sound) throws IOException {
    DiskRecord record = old.disk(disk);
    Path scratch = services.scratch().get().resolve("mover-heal-" + UUID.randomUUID());
    ExtentFile entries = services.files().scratch(scratch);
    OpenMap map = new OpenMap(entries, services.metadata());
    try (MapCursor cursor = old.file().map(disk)) {
      services.files().delete(scratch); // the descriptor is enough
      while (cursor.next()) {
        watch.checkOver();
        MapEntry entry = cursor.entry();
        Slot better = entry instanceof Slot slot && bad.has(slot) ? sound.get(slot.id()) : null;
        map.append(better == null ? entry : better);
      }
      map.park(); // one window at a time, however many disks
      return new EndedDisk(record.spec(), record.digest(), record.seal(), map);
    } catch (IOException | RuntimeException e) {
      map.close();
      throw e;
    }
  }
}
