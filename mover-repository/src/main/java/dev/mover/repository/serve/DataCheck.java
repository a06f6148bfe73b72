package dev.mover.repository.serve;

import dev.mover.api.block.BlockId;
import dev.mover.api.error.DataException;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LimitException;
import dev.mover.api.error.Side;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferSet;
import dev.mover.dedup.codec.BlockCodec;
import dev.mover.dedup.digest.BlockDigest;
import dev.mover.repository.file.SlotHeader;
import dev.mover.repository.link.LinkContext;
import dev.mover.repository.order.SlotOrder;
import dev.mover.repository.order.SlotUse;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.UUID;
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
  private final LinkContext link;
  private final SlotReader reader;
  private final Deque<Desk> idle = new ArrayDeque<>();
  private int desks;
  private @Nullable RuntimeException failure;

  DataCheck(ServeServices services, OpenPoint point, Findings damaged, LinkContext link) {
    this.services = services;
    this.point = point;
    this.damaged = damaged;
    this.link = link;
    this.reader = new SlotReader(point, services, link::isOver);
  }

  /** What one slot at a time needs on its way. */
  private record Desk(BlockBuffer slot, BlockBuffer plain, BlockCodec codec, BlockDigest digest) {}

  /** Blocks until all is read; returns how many slots were. */
  long run() {
    try (BufferSet memory = lease();
        SlotOrder order =
            new SlotOrder(
                services.files(),
                services.scratch().get().resolve("mover-verify-" + UUID.randomUUID()),
                services.metadata())) {
      desks = memory.count() / 2;
      for (int i = 0; i < desks; i++) {
        idle.add(new Desk(take(memory), take(memory), services.codecs().get(), new BlockDigest()));
      }
      try {
        for (int disk = 0; disk < point.file().disks().size(); disk++) {
          point.collect(disk, order, link::checkOver);
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
      link.checkOver();
      if (last == null || !use.isSameSlot(last) || !use.id().equals(last.id())) {
        Desk desk = awaitDesk();
        SlotUse taken = use;
        services.threads().readers().execute(() -> check(taken, desk));
        checked++;
      }
      last = use;
    }
    return checked;
  }

  private void check(SlotUse use, Desk desk) {
    try {
      reader.surely(use, () -> look(use, desk));
    } catch (DataException e) {
      damaged.add(e.getMessage());
    } catch (RuntimeException | Error e) {
      fail(e);
    } finally {
      giveBack(desk);
    }
  }

  /** Reads, unpacks and hashes; the id it should have, or DataException. */
  private BlockId look(SlotUse use, Desk desk) {
    SlotHeader header = reader.read(use, desk.slot());
    desk.codec()
        .unpack(
            header.codec(),
            desk.slot().bytes(SlotHeader.BYTES, header.payloadLength()),
            desk.plain().bytes(),
            header.plainLength());
    BlockId id = desk.digest().id(desk.plain().bytes(0, header.plainLength()));
    if (!id.equals(use.id())) {
      throw new DataException(
          ErrorCode.BLOCK_DAMAGED,
          Side.REPOSITORY,
          "block %d of disk %s in %s: the content has id %s, not %s"
              .formatted(
                  use.target(),
                  point.disk(use.disk()).spec().name(),
                  point.file().path(),
                  id,
                  use.id()));
    }
    return id;
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

  private static BlockBuffer take(BufferSet memory) {
    return Objects.requireNonNull(memory.tryTake(), "a fresh lease has buffers");
  }

  private synchronized Desk awaitDesk() {
    awaitIdle(1);
    RuntimeException failed = failure;
    if (failed != null) {
      throw failed;
    }
    return idle.remove();
  }

  private synchronized void giveBack(Desk desk) {
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
    for (Desk desk : idle) {
      desk.slot().release();
      desk.plain().release();
      desk.codec().close();
    }
    RuntimeException failed = failure;
    if (failed != null) {
      throw failed;
    }
  }
}
