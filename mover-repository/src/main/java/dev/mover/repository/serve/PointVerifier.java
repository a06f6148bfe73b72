package dev.mover.repository.serve;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.DiskDigest;
import dev.mover.api.error.DataException;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.point.Verdict;
import dev.mover.api.point.Verdict.Outcome;
import dev.mover.repository.extent.ExtentLayout;
import dev.mover.repository.file.CopyCheck;
import dev.mover.repository.file.DiskRecord;
import dev.mover.repository.file.FileRecord;
import dev.mover.repository.file.MapCursor;
import dev.mover.repository.file.MapEntry.Slot;
import dev.mover.repository.file.MapEntry.Zeros;
import dev.mover.repository.link.LinkContext;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * Says whether a point is what it was. Structure: both copies of everything, coverage and bounds of
 * every map, disk digests, presence of the files it uses. Data: besides, every slot is read in
 * physical order, unpacked and hashed. One thread, which waits for the readers; blocks.
 */
final class PointVerifier {
  private final ServeServices services;
  private final LinkContext link;

  PointVerifier(ServeServices services, LinkContext link) {
    this.services = services;
    this.link = link;
  }

  Verdict verify(Path path, boolean data) {
    Findings recovered = new Findings();
    Findings damaged = new Findings();
    long blocks = 0;
    try (OpenPoint point = OpenPoint.open(services.files(), path, services.metadata())) {
      new CopyCheck(point.file()).findings().forEach(recovered::add);
      checkFiles(point, damaged);
      boolean mapsSound = true;
      for (int disk = 0; disk < point.file().disks().size(); disk++) {
        mapsSound &= checkMap(point, disk, damaged);
      }
      if (data && mapsSound) {
        blocks = new DataCheck(services, point, damaged, link).run();
      }
      return verdict(
          point.file().footer().machine().value(),
          point.file().footer().sequence(),
          path,
          blocks,
          recovered,
          damaged);
    } catch (MoverException e) {
      link.checkOver();
      if (isLack(e.code()) || e.code() == ErrorCode.NO_SUCH_POINT) {
        throw e;
      }
      damaged.add(e.getMessage());
      return verdict(
          ExtentLayout.machineOf(Objects.requireNonNull(path.getParent())).value(),
          ExtentLayout.parse(path).map(ExtentLayout.Found::sequence).orElse(0L),
          path,
          blocks,
          recovered,
          damaged);
    }
  }

  /** Whether the verification had no memory or scratch, which says nothing of the point. */
  private static boolean isLack(ErrorCode code) {
    return code == ErrorCode.OUT_OF_MEMORY_BUDGET
        || code == ErrorCode.REPOSITORY_FULL
        || code == ErrorCode.REPOSITORY_WRITE_FAILED;
  }

  private Verdict verdict(
      String machine, long sequence, Path path, long blocks, Findings recovered, Findings damaged) {
    Outcome outcome =
        damaged.count() > 0
            ? Outcome.DAMAGED
            : recovered.count() > 0 ? Outcome.RECOVERED : Outcome.SOUND;
    Findings all = damaged.count() > 0 ? damaged : recovered;
    return new Verdict(
        machine,
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
        link.checkOver();
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
