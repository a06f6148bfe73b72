package dev.mover.repository.serve;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.DiskDigest;
import dev.mover.api.error.DataException;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.point.Name;
import dev.mover.api.point.Verdict;
import dev.mover.api.point.Verdict.Outcome;
import dev.mover.repository.extent.ExtentLayout;
import dev.mover.repository.file.CopyCheck;
import dev.mover.repository.file.DiskRecord;
import dev.mover.repository.file.FileRecord;
import dev.mover.repository.file.Footer;
import dev.mover.repository.file.MapCursor;
import dev.mover.repository.file.MapEntry.Slot;
import dev.mover.repository.file.MapEntry.Zeros;
import dev.mover.repository.link.LinkContext;
import dev.mover.transport.frame.Damage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says whether a point is what it was. Structure: both copies of everything, coverage and bounds of
 * every map, disk digests, presence of the files it uses. Data: besides, every slot is read in
 * physical order, unpacked and hashed. One thread, which waits for the readers; blocks.
 */
final class PointVerifier {
  private static final Logger LOG = LoggerFactory.getLogger(PointVerifier.class);

  private final ServeServices services;
  private final CheckWatch watch;

  PointVerifier(ServeServices services, CheckWatch watch) {
    this.services = services;
    this.watch = watch;
  }

  /**
   * What was found, and what is to be sent before the verdict.
   *
   * @param damaged which blocks, if any
   */
  record Checked(Verdict verdict, List<Damage> damage, Set<BlockId> damaged) {}

  /**
   * Looks at structure, again when it isn't sound: a read may fail once and well the next time.
   * Only what the second look found counts.
   */
  Checked verify(Path path, boolean data) {
    return verify(path, data ? this::readAll : (_, _) -> new SlotsRead(0, new DamagedSlots()));
  }

  /** As {@link #verify(Path, boolean)}, with slots read as {@code reading} does. */
  Checked verify(Path path, SlotReading reading) {
    return look(path, reading, false).orElseGet(() -> look(path, reading, true).orElseThrow());
  }

  /** What reading slots gave. */
  record SlotsRead(long blocks, DamagedSlots damaged) {}

  /** Reads slots of a point whose maps are sound, and adds what is damaged to the findings. */
  @FunctionalInterface
  interface SlotReading {
    SlotsRead read(OpenPoint point, Findings damaged);
  }

  private SlotsRead readAll(OpenPoint point, Findings damaged) {
    DataCheck check = new DataCheck(services, point, damaged, watch);
    return new SlotsRead(check.run(_ -> true), check.slots());
  }

  /**
   * Reads only slots of blocks that were found damaged elsewhere; nothing when all of the point's
   * are sound, or it has none.
   */
  Optional<Checked> touched(Path path, Set<BlockId> ids) {
    Findings damaged = new Findings();
    try (OpenPoint point = OpenPoint.open(services.files(), path, services.metadata(), false)) {
      DataCheck check = new DataCheck(services, point, damaged, watch);
      long blocks = check.run(ids::contains);
      return check.slots().isEmpty()
          ? Optional.empty()
          : Optional.of(checked(point, blocks, new Findings(), damaged, check.slots()));
    } catch (MoverException e) {
      watch.checkOver();
      if (isLack(e.code())) {
        throw e;
      }
      LOG.warn("{}: not searched for damaged blocks: {}", path, e.getMessage());
      return Optional.empty();
    }
  }

  /** Nothing when the structure isn't sound and this was not the last look. */
  private Optional<Checked> look(Path path, SlotReading reading, boolean last) {
    Findings recovered = new Findings();
    Findings damaged = new Findings();
    try (OpenPoint point = OpenPoint.open(services.files(), path, services.metadata(), false)) {
      new CopyCheck(point.file()).findings().forEach(recovered::add);
      checkFiles(point, damaged);
      boolean mapsSound = true;
      for (int disk = 0; disk < point.file().disks().size(); disk++) {
        mapsSound &= checkMap(point, disk, damaged);
      }
      if (!last && recovered.count() + damaged.count() > 0) {
        LOG.warn("{}: not as it should be; looking again", path);
        return Optional.empty();
      }
      SlotsRead read =
          mapsSound ? reading.read(point, damaged) : new SlotsRead(0, new DamagedSlots());
      return Optional.of(checked(point, read.blocks(), recovered, damaged, read.damaged()));
    } catch (MoverException e) {
      watch.checkOver();
      if (isLack(e.code()) || e.code() == ErrorCode.NO_SUCH_POINT) {
        throw e;
      }
      if (!last) {
        LOG.warn("{}; looking again", e.getMessage());
        return Optional.empty();
      }
      damaged.add(e.getMessage());
      Name machine = ExtentLayout.machineOf(Objects.requireNonNull(path.getParent()));
      long sequence = ExtentLayout.parse(path).map(ExtentLayout.Found::sequence).orElse(0L);
      return Optional.of(
          new Checked(
              verdict(machine, sequence, path, 0, recovered, damaged), List.of(), Set.of()));
    }
  }

  private Checked checked(
      OpenPoint point, long blocks, Findings recovered, Findings damaged, DamagedSlots slots) {
    Footer footer = point.file().footer();
    DamageList list = new DamageList(point, slots, watch);
    List<Damage> damage = list.frames();
    if (list.isCut()) {
      damaged.add(
          "%s: only the first %d damaged blocks are listed"
              .formatted(point.file().path(), DamageList.MOST));
    }
    return new Checked(
        verdict(
            footer.machine(), footer.sequence(), point.file().path(), blocks, recovered, damaged),
        damage,
        slots.ids());
  }

  /** Whether the verification had no memory or scratch, which says nothing of the point. */
  private static boolean isLack(ErrorCode code) {
    return code == ErrorCode.OUT_OF_MEMORY_BUDGET
        || code == ErrorCode.REPOSITORY_FULL
        || code == ErrorCode.REPOSITORY_WRITE_FAILED;
  }

  private Verdict verdict(
      Name machine, long sequence, Path path, long blocks, Findings recovered, Findings damaged) {
    Outcome outcome =
        damaged.count() > 0
            ? Outcome.DAMAGED
            : recovered.count() > 0 ? Outcome.RECOVERED : Outcome.SOUND;
    Findings all = damaged.count() > 0 ? damaged : recovered;
    return new Verdict(
        machine.value(),
        sequence,
        services.layout().root().relativize(path).toString(),
        outcome,
        blocks,
        all.first().stream().map(LinkContext::cut).toList(),
        damaged.count() + recovered.count());
  }

  /** True when the map can be walked, even if its digest is wrong. */
  private boolean checkMap(OpenPoint point, int disk, Findings damaged) {
    DiskRecord record = point.disk(disk);
    DiskDigest digest = new DiskDigest(record.spec().sizeBytes(), point.blockSize());
    try (MapCursor cursor = point.file().map(disk)) {
      while (cursor.next()) {
        switch (cursor.entry()) {
          case Zeros zeros -> digest.addZeros(zeros.blocks());
          case Slot slot -> digest.addBlock(slot.id());
        }
        watch.checkOver();
      }
    } catch (DataException e) {
      if (e.code() == ErrorCode.METADATA_DAMAGED) {
        damaged.add(e.getMessage());
        return false;
      }
      throw e;
    }
    BlockId own = digest.finish();
    if (!own.equals(record.digest())) {
      damaged.add(
          "%s: the map of disk %s does not have the disk's digest"
              .formatted(point.file().path(), record.spec().name()));
    }
    return true;
  }

  private static void checkFiles(OpenPoint point, Findings damaged) {
    List<FileRecord> files = point.file().files();
    for (int i = 0; i < files.size(); i++) {
      if (!files.get(i).isUsed()) {
        continue;
      }
      try {
        point.slotFile(i + 1).size();
      } catch (IOException e) {
        damaged.add(
            "%s: needs file %s of point %d, which can't be read: %s"
                .formatted(
                    point.file().path(),
                    files.get(i).fileId(),
                    files.get(i).sequence(),
                    e.getMessage()));
      }
    }
  }
}
