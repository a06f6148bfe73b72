package dev.mover.repository.serve;

import dev.mover.api.block.BlockId;
import dev.mover.api.error.DataException;
import dev.mover.api.error.MoverException;
import dev.mover.api.memory.BufferSet;
import dev.mover.api.point.Name;
import dev.mover.repository.catalogue.PointList;
import dev.mover.repository.commit.CommitWatch;
import dev.mover.repository.damage.DamagedBlocks;
import dev.mover.repository.extent.ExtentLayout;
import dev.mover.repository.file.Footer;
import dev.mover.repository.file.KeyTable;
import dev.mover.repository.file.MapCursor;
import dev.mover.repository.file.MapEntry.Slot;
import dev.mover.repository.file.PartialFile;
import dev.mover.repository.file.SlotHeader;
import dev.mover.repository.order.SlotOrder;
import dev.mover.repository.order.SlotUse;
import dev.mover.repository.serve.NewGeneration.Donor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes older points of a machine whole again: where one has a damaged block that the newest has
 * sound, because its backup sent it again, the older point gets a new generation of its file. What
 * the newest doesn't have stays as it is, and reported. Runs when a backup has committed and damage
 * is known. One at a time; blocks.
 */
public final class Healing {
  private static final Logger LOG = LoggerFactory.getLogger(Healing.class);

  private final ServeServices services;
  private final DamagedBlocks damaged;
  private final boolean clones;

  /**
   * For the one writer.
   *
   * @param clones whether a slot may be cloned from one file to another
   */
  public Healing(ServeServices services, boolean clones) {
    this.services = services;
    this.damaged = services.damaged();
    this.clones = clones;
  }

  /**
   * Heals what can be of a machine whose newest point was just committed. A failure costs nothing
   * but that, and is logged.
   */
  public synchronized void committed(Name machine, CommitWatch commit) {
    if (!damaged.isAny()) {
      return;
    }
    CheckWatch watch = new OfCommit(commit);
    PointList points = services.points().get();
    try {
      List<Path> paths = points.files(machine.value());
      if (paths.size() > 1) {
        removeLeftovers(Objects.requireNonNull(paths.getLast().getParent()));
        try (OpenPoint newest = open(paths.getLast())) {
          paths
              .subList(0, paths.size() - 1)
              .reversed()
              .forEach(p -> heal(points, p, newest, watch));
        }
      }
    } catch (MoverException | IOException e) {
      LOG.warn("older points of {} are not healed now: {}", machine, e.getMessage());
    }
  }

  private OpenPoint open(Path path) {
    return OpenPoint.open(services.files(), path, services.metadata(), false);
  }

  private void removeLeftovers(Path folder) throws IOException {
    for (Path left : ExtentLayout.healings(folder)) {
      services.files().delete(left);
    }
  }

  private void heal(PointList points, Path path, OpenPoint newest, CheckWatch watch) {
    long asOf = damaged.asOf();
    try (OpenPoint old = open(path);
        BufferSet memory = services.slots().lease(bufferBytes(old, newest), 2, () -> {});
        SlotDesk desk = new SlotDesk(memory, services.codecs().get())) {
      Footer footer = old.file().footer();
      DamagedSlots bad = lookAtSuspects(old, desk, watch);
      Map<BlockId, Donor> donors = donors(newest, bad.ids(), desk, watch);
      if (!donors.isEmpty()) {
        new NewGeneration(services, watch, old).write(bad, donors);
        points.looked(footer.machine().value(), path);
        LOG.info(
            "{}: {} of {} damaged blocks are healed from point {}",
            path,
            donors.size(),
            bad.ids().size(),
            newest.file().footer().sequence());
      }
      if (donors.size() == bad.ids().size() && !bad.isFull()) {
        damaged.sound(footer.fileId(), asOf);
      }
    } catch (MoverException e) {
      LOG.warn("{}: is not healed now: {}", path, e.getMessage());
    }
  }

  private static int bufferBytes(OpenPoint one, OpenPoint other) {
    return Math.max(SlotReader.bufferBytes(one), SlotReader.bufferBytes(other));
  }

  /** Reads every slot that may be damaged; which of them are. */
  private DamagedSlots lookAtSuspects(OpenPoint old, SlotDesk desk, CheckWatch watch) {
    DamagedSlots bad = new DamagedSlots();
    UUID fileId = old.file().footer().fileId();
    SlotReader reader = new SlotReader(old, services, watch::isOver);
    try (SlotOrder suspects = order()) {
      for (int disk = 0; disk < old.file().disks().size(); disk++) {
        old.collect(disk, suspects, id -> damaged.isSuspect(id, fileId), watch::checkOver);
      }
      SlotUse last = null;
      for (SlotUse use = suspects.next(); use != null; use = suspects.next()) {
        watch.checkOver();
        if ((last == null || !use.isSameSlot(last)) && !isSound(reader, old, use, desk)) {
          bad.add(use);
        }
        last = use;
      }
    }
    return bad;
  }

  private SlotOrder order() {
    Path scratch = services.scratch().get().resolve("mover-heal-" + UUID.randomUUID());
    return new SlotOrder(services.files(), scratch, services.metadata());
  }

  /** Those of the blocks that the newest point has, and has sound. */
  private Map<BlockId, Donor> donors(
      OpenPoint newest, Set<BlockId> wanted, SlotDesk desk, CheckWatch watch) {
    Map<BlockId, Donor> donors = new HashMap<>();
    if (wanted.isEmpty()) {
      return donors;
    }
    UUID fileId = newest.file().footer().fileId();
    SlotReader reader = new SlotReader(newest, services, watch::isOver);
    for (int disk = 0; disk < newest.file().disks().size(); disk++) {
      try (MapCursor map = newest.file().map(disk)) {
        while (map.next()) {
          watch.checkOver();
          if (map.entry() instanceof Slot slot
              && wanted.contains(slot.id())
              && !donors.containsKey(slot.id())
              && !damaged.isSuspect(slot.id(), fileId)) {
            SlotUse use =
                new SlotUse(
                    slot.file(),
                    slot.offset(),
                    slot.storedLength(),
                    disk,
                    map.block(),
                    slot.id(),
                    slot.key());
            if (isSound(reader, newest, use, desk)) {
              donors.put(slot.id(), (file, keys) -> bringIn(newest, reader, use, desk, file, keys));
            }
          }
        }
      }
    }
    return donors;
  }

  private static boolean isSound(SlotReader reader, OpenPoint point, SlotUse use, SlotDesk desk) {
    try {
      reader.surely(use, () -> desk.look(reader, point, use));
      return true;
    } catch (DataException e) {
      return false;
    }
  }

  private Optional<Slot> bringIn(
      OpenPoint newest,
      SlotReader reader,
      SlotUse use,
      SlotDesk desk,
      PartialFile file,
      KeyTable keys) {
    Optional<Integer> key =
        use.key() == 0
            ? Optional.of(0)
            : newest.file().keys(use.key() - 1, 1).stream().findFirst().flatMap(keys::numberOf);
    return key.map(number -> bringIn(newest, reader, use, desk, file, number));
  }

  private Slot bringIn(
      OpenPoint newest, SlotReader reader, SlotUse use, SlotDesk desk, PartialFile file, int key) {
    SlotHeader header = reader.surely(use, () -> desk.look(reader, newest, use));
    if (clones) {
      int length = file.occupied(use.storedLength());
      long to = file.reserve(length);
      try {
        file.file().cloneFrom(newest.slotFile(use.file()), use.offset(), length, to);
        return new Slot(0, use.storedLength(), to, use.id(), key);
      } catch (IOException e) {
        LOG.debug("{}: copied instead of cloned: {}", file.path(), e.getMessage());
      }
    }
    return file.copy(desk.slot(), header, key);
  }

  /** A healing is the end of its backup's commit, and cancelled with it. */
  private record OfCommit(CommitWatch commit) implements CheckWatch {
    @Override
    public boolean isOver() {
      return commit.isCancelled();
    }

    @Override
    public void checkOver() {
      commit.checkCancelled();
    }
  }
}
