package dev.mover.repository.serve;

import dev.mover.api.block.BlockId;
import dev.mover.api.error.DataException;
import dev.mover.api.error.LimitException;
import dev.mover.api.memory.BufferSet;
import dev.mover.repository.order.SlotOrder;
import dev.mover.repository.order.SlotUse;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads every slot of a point once, in physical order, unpacks it and compares the content's id.
 * The caller's thread hands slots to the readers and waits for them; at most four are under way.
 */
final class DataCheck {
  private static final Logger LOG = LoggerFactory.getLogger(DataCheck.class);
  private static final int MOST_DESKS = 4;

  private final ServeServices services;
  private final OpenPoint point;
  private final Findings damaged;
  private final DamagedSlots slots = new DamagedSlots();
  private final CheckWatch watch;
  private final SlotReader reader;
  private final Deque<SlotDesk> idle = new ArrayDeque<>();
  private int desks;
  private @Nullable RuntimeException failure;

  DataCheck(ServeServices services, OpenPoint point, Findings damaged, CheckWatch watch) {
    this.services = services;
    this.point = point;
    this.damaged = damaged;
    this.watch = watch;
    this.reader = new SlotReader(point, services, watch::isOver);
  }

  /** Which slots were found damaged. */
  DamagedSlots slots() {
    return slots;
  }

  /**
   * Blocks until all is read; returns how many slots were.
   *
   * @param wanted only slots of these blocks
   */
  long run(Predicate<BlockId> wanted) {
    try (BufferSet memory = lease();
        SlotOrder order =
            new SlotOrder(
                services.files(),
                services.scratch().get().resolve("mover-verify-" + UUID.randomUUID()),
                services.metadata())) {
      desks = memory.count() / 2;
      for (int i = 0; i < desks; i++) {
        idle.add(new SlotDesk(memory, services.codecs().get()));
      }
      try {
        for (int disk = 0; disk < point.file().disks().size(); disk++) {
          point.collect(disk, order, wanted, watch::checkOver);
        }
        return checkAll(order);
      } finally {
        closeDesks();
        if (damaged.count() > 0) {
          services.damaged().sync();
        }
      }
    }
  }

  private long checkAll(SlotOrder order) {
    long checked = 0;
    SlotUse last = null;
    for (SlotUse use = order.next(); use != null; use = order.next()) {
      watch.checkOver();
      if (last == null || !use.isSameSlot(last) || !use.id().equals(last.id())) {
        SlotDesk desk = awaitDesk();
        SlotUse taken = use;
        services.threads().readers().execute(() -> check(taken, desk));
        checked++;
      }
      last = use;
    }
    return checked;
  }

  private void check(SlotUse use, SlotDesk desk) {
    try {
      reader.surely(use, () -> desk.look(reader, point, use));
    } catch (DataException e) {
      damaged.add(e.getMessage());
      slots.add(use);
    } catch (RuntimeException | Error e) {
      fail(e);
    } finally {
      giveBack(desk);
    }
  }

  private BufferSet lease() {
    int bytes = SlotReader.bufferBytes(point);
    int count = MOST_DESKS;
    while (true) {
      try {
        return services.slots().lease(bytes, 2 * count, () -> {});
      } catch (LimitException e) {
        if (count == 1) {
          throw e;
        }
        count /= 2;
      }
    }
  }

  private synchronized SlotDesk awaitDesk() {
    awaitIdle(1);
    RuntimeException failed = failure;
    if (failed != null) {
      throw failed;
    }
    return idle.remove();
  }

  private synchronized void giveBack(SlotDesk desk) {
    idle.add(desk);
    notifyAll();
  }

  private synchronized void fail(Throwable e) {
    failure = e instanceof RuntimeException r ? r : new IllegalStateException(e);
  }

  private void awaitIdle(int count) {
    while (idle.size() < count) {
      try {
        wait();
      } catch (InterruptedException e) {
        LOG.debug("reads under way use our memory: they must end first", e);
      }
    }
  }

  private synchronized void closeDesks() {
    awaitIdle(desks);
    idle.forEach(SlotDesk::close);
    RuntimeException failed = failure;
    if (failed != null) {
      throw failed;
    }
  }
}
