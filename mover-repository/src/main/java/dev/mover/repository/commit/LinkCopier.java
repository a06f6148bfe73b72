package dev.mover.repository.commit;

import dev.mover.api.error.DataException;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.memory.BufferSet;
import dev.mover.repository.extent.ExtentFile;
import dev.mover.repository.extent.ExtentRates;
import dev.mover.repository.file.MapEntry.Slot;
import dev.mover.repository.file.Page;
import dev.mover.repository.file.PartialFile;
import dev.mover.repository.file.SlotHeader;
import dev.mover.repository.order.SlotUse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings a slot in by reading and writing it, where cloning failed. One thread; blocks. */
final class LinkCopier {
  private static final Logger LOG = LoggerFactory.getLogger(LinkCopier.class);

  private final PartialFile partial;
  private final BufferPool pool;
  private final ExtentRates rates;
  private final CommitWatch watch;
  private long copiedBytes;

  LinkCopier(PartialFile partial, BufferPool pool, ExtentRates rates, CommitWatch watch) {
    this.partial = partial;
    this.pool = pool;
    this.rates = rates;
    this.watch = watch;
  }

  long copiedBytes() {
    return copiedBytes;
  }

  /**
   * The slot's new place, or nothing when two reads say that the source is not what the map says.
   * Waits for the extent's rate limits.
   */
  Optional<Slot> copy(ExtentFile source, SlotUse use) {
    int length = SlotHeader.occupied(use.storedLength(), Page.BYTES);
    rates.read().take(length, watch::isCancelled);
    rates.write().take(length, watch::isCancelled);
    watch.checkCancelled();
    try (BufferSet set = pool.lease(length, 1, () -> {})) {
      BlockBuffer buffer = Objects.requireNonNull(set.tryTake(), "a fresh lease has buffers");
      try {
        Optional<SlotHeader> header = readSurely(source, use, buffer, length);
        header.ifPresent(_ -> copiedBytes += use.storedLength());
        return header.map(read -> partial.copy(buffer, read, use.key()));
      } finally {
        buffer.release();
      }
    }
  }

  /** One failed read may be a passing fault; two are damage. */
  private static Optional<SlotHeader> readSurely(
      ExtentFile source, SlotUse use, BlockBuffer buffer, int length) {
    return read(source, use, buffer, length).or(() -> read(source, use, buffer, length));
  }

  private static Optional<SlotHeader> read(
      ExtentFile source, SlotUse use, BlockBuffer buffer, int length) {
    String where = source.name() + " at " + use.offset();
    try {
      ByteBuffer into = buffer.bytes(0, length);
      int got = source.read(into, use.offset());
      if (got < use.storedLength()) {
        LOG.warn("{}: the slot ends early", where);
        return Optional.empty();
      }
      return Optional.of(SlotHeader.check(buffer.bytes(), use.id(), use.storedLength(), where));
    } catch (DataException e) {
      LOG.warn("{}", e.getMessage());
      return Optional.empty();
    } catch (IOException e) {
      LOG.warn("{}: {}", where, e.getMessage());
      return Optional.empty();
    }
  }
}
