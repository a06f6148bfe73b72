package dev.mover.deploy.cli;

import dev.mover.transport.frame.Damage;
import java.util.List;

/** Damaged blocks of a point for people: neighbours as one range. */
record DamagedRanges(List<Damage> damage) {
  /** Takes a range of a disk. */
  @FunctionalInterface
  interface RangeConsumer {
    void on(String disk, long offset, long length);
  }

  /** Every range, by disk and offset as they came. */
  void forEach(RangeConsumer consumer) {
    String disk = "";
    long from = 0;
    long end = 0;
    for (Damage part : damage) {
      for (Damage.Block block : part.blocks()) {
        if (!part.disk().value().equals(disk) || block.offset() != end) {
          if (end > from) {
            consumer.on(disk, from, end - from);
          }
          disk = part.disk().value();
          from = block.offset();
        }
        end = block.offset() + block.lengthBytes();
      }
    }
    if (end > from) {
      consumer.on(disk, from, end - from);
    }
  }
}
