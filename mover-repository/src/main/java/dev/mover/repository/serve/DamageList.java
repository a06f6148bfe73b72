package dev.mover.repository.serve;

import dev.mover.api.point.Name;
import dev.mover.repository.file.Footer;
import dev.mover.repository.file.MapCursor;
import dev.mover.repository.file.MapEntry.Slot;
import dev.mover.transport.frame.Damage;
import java.util.ArrayList;
import java.util.List;

/**
 * Which parts of a point's disks its damaged slots are, found by walking the maps: one slot may be
 * many blocks. One thread; blocks.
 */
final class DamageList {
  /** Blocks of one point that are listed; whoever lost more needs no list. */
  static final int MOST = 64 << 10;

  private final OpenPoint point;
  private final DamagedSlots slots;
  private final CheckWatch watch;
  private final List<Damage> frames = new ArrayList<>();
  private List<Damage.Block> blocks = new ArrayList<>();
  private int count;
  private boolean cut;

  DamageList(OpenPoint point, DamagedSlots slots, CheckWatch watch) {
    this.point = point;
    this.slots = slots;
    this.watch = watch;
  }

  /** Every damaged block by disk and offset, ready to be sent. */
  List<Damage> frames() {
    if (!slots.isEmpty()) {
      for (int disk = 0; disk < point.file().disks().size(); disk++) {
        walk(disk);
      }
    }
    return frames;
  }

  /** Whether there are more than were listed. */
  boolean isCut() {
    return cut || slots.isFull();
  }

  private void walk(int disk) {
    long diskBytes = point.disk(disk).spec().sizeBytes();
    try (MapCursor cursor = point.file().map(disk)) {
      while (cursor.next()) {
        watch.checkOver();
        if (cursor.entry() instanceof Slot slot && slots.has(slot)) {
          long block = cursor.block();
          add(
              disk,
              new Damage.Block(
                  block * point.blockSize().bytes(),
                  point.blockSize().lengthAt(block, diskBytes),
                  slot.id()));
        }
      }
    }
    flush(disk);
  }

  private void add(int disk, Damage.Block block) {
    if (count == MOST) {
      cut = true;
      return;
    }
    count++;
    blocks.add(block);
    if (blocks.size() == Damage.MAX_BLOCKS) {
      flush(disk);
    }
  }

  private void flush(int disk) {
    if (!blocks.isEmpty()) {
      Footer footer = point.file().footer();
      Name name = point.disk(disk).spec().name();
      frames.add(new Damage(footer.machine(), footer.sequence(), name, blocks));
      blocks = new ArrayList<>();
    }
  }
}
