package dev.mover.repository.serve;

import dev.mover.api.error.DataException;
import dev.mover.api.memory.BufferSet;
import dev.mover.repository.file.Page;
import dev.mover.repository.file.SlotHeader;
import dev.mover.repository.order.SlotOrder;
import dev.mover.repository.order.SlotUse;
import dev.mover.repository.serve.PointVerifier.SlotsRead;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads the slots of one point for a scrub, in physical order and one at a time, so that a clone of
 * its file waits for one read at most. A slot whose origin was read in this round is not read
 * again: only its header is. One thread; blocks.
 */
final class ScrubPass {
  private final ServeServices services;
  private final OpenPoint point;
  private final Findings damaged;
  private final Origins origins;
  private final ScrubPace pace;
  private final SlotReader reader;
  private final DamagedSlots slots = new DamagedSlots();
  private final boolean first;

  ScrubPass(
      ServeServices services, OpenPoint point, Findings damaged, Origins origins, ScrubPace pace) {
    this.services = services;
    this.point = point;
    this.damaged = damaged;
    this.origins = origins;
    this.pace = pace;
    this.reader = new SlotReader(point, services, pace::isOver);
    this.first = origins.isEmpty();
  }

  SlotsRead run() {
    try (BufferSet memory = services.slots().lease(SlotReader.bufferBytes(point), 2, () -> {});
        SlotDesk desk = new SlotDesk(memory, services.codecs().get());
        SlotOrder order =
            new SlotOrder(
                services.files(),
                services.scratch().get().resolve("mover-scrub-" + UUID.randomUUID()),
                services.metadata())) {
      for (int disk = 0; disk < point.file().disks().size(); disk++) {
        point.collect(disk, order, _ -> true, pace::checkOver);
      }
      long checked = 0;
      SlotUse last = null;
      for (SlotUse use = order.next(); use != null; use = order.next()) {
        if (isAnother(use, last)) {
          look(use, desk);
          checked++;
        }
        last = use;
      }
      return new SlotsRead(checked, slots);
    } finally {
      if (!slots.isEmpty()) {
        services.damaged().sync();
      }
    }
  }

  private static boolean isAnother(SlotUse use, @Nullable SlotUse last) {
    return last == null || !use.isSameSlot(last) || !use.id().equals(last.id());
  }

  private void look(SlotUse use, SlotDesk desk) {
    if (!first && isKnownSound(use, desk)) {
      return;
    }
    pace.await(SlotHeader.occupied(use.storedLength(), Page.BYTES));
    try {
      SlotHeader header = reader.surely(use, () -> desk.look(reader, point, use));
      origins.add(header.originFile(), header.originSlot());
    } catch (DataException e) {
      damaged.add(e.getMessage());
      slots.add(use);
    }
  }

  private boolean isKnownSound(SlotUse use, SlotDesk desk) {
    pace.await(Page.BYTES);
    Optional<SlotHeader> header = reader.header(use, desk.slot());
    return header.isPresent() && origins.has(header.get().originFile(), header.get().originSlot());
  }
}
