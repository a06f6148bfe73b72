package dev.mover.repository.serve;

import dev.mover.api.block.BlockId;
import dev.mover.repository.file.MapEntry.Slot;
import dev.mover.repository.order.SlotUse;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Slots of one point that were found damaged; any number of blocks of its disks may use each.
 * Thread-safe.
 */
final class DamagedSlots {
  /** About 150 bytes each. */
  static final int MOST = 64 << 10;

  private final Set<Place> places = new HashSet<>();
  private boolean full;

  private record Place(int file, long offset, BlockId id) {}

  synchronized void add(SlotUse use) {
    if (places.size() < MOST) {
      places.add(new Place(use.file(), use.offset(), use.id()));
    } else {
      full = true;
    }
  }

  synchronized boolean isEmpty() {
    return places.isEmpty();
  }

  /** Whether there were more than it keeps. */
  synchronized boolean isFull() {
    return full;
  }

  synchronized boolean has(Slot slot) {
    return places.contains(new Place(slot.file(), slot.offset(), slot.id()));
  }

  /** Which blocks they hold. */
  synchronized Set<BlockId> ids() {
    return places.stream().map(Place::id).collect(Collectors.toSet());
  }
}
