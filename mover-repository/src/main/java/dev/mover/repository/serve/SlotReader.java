package dev.mover.repository.serve;

import dev.mover.api.error.DataException;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LimitException;
import dev.mover.api.error.Side;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.task.RateLimit;
import dev.mover.repository.damage.DamagedBlocks;
import dev.mover.repository.extent.ExtentFile;
import dev.mover.repository.file.BackupFile;
import dev.mover.repository.file.Page;
import dev.mover.repository.file.SlotHeader;
import dev.mover.repository.order.SlotUse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads and checks slots of one point. Any thread; blocks. */
final class SlotReader {
  private static final Logger LOG = LoggerFactory.getLogger(SlotReader.class);

  private final OpenPoint point;
  private final DamagedBlocks damaged;
  private final RateLimit rate;
  private final BooleanSupplier over;

  /**
   * A reader that keeps the extent's limit.
   *
   * @param over ends a wait for it; what is read then is of no use
   */
  SlotReader(OpenPoint point, ServeServices services, BooleanSupplier over) {
    this.point = point;
    this.damaged = services.damaged();
    this.rate = services.rates().read();
    this.over = over;
  }

  /** Bytes a buffer must have for slots of the point's blocks. */
  static int bufferBytes(OpenPoint point) {
    return SlotHeader.occupied(SlotHeader.BYTES + point.blockSize().bytes(), Page.BYTES);
  }

  /**
   * Looks at a slot, and once more when it isn't what it should be: a read may fail once and well
   * the next time. What two looks agree on is damage, and remembered.
   *
   * @throws DataException of the second look
   */
  <T> T surely(SlotUse use, Supplier<T> look) {
    try {
      return look.get();
    } catch (DataException first) {
      LOG.warn("{}; looking again", first.getMessage());
    }
    try {
      return look.get();
    } catch (DataException second) {
      if (!(second.getCause() instanceof IOException) || isReadableElsewhere(use)) {
        damaged.mark(use.id(), point.file().footer().fileId());
      }
      throw second;
    }
  }

  /** Whether the slot can't be read, rather than its file or the whole device. */
  private boolean isReadableElsewhere(SlotUse use) {
    try {
      return BackupFile.superblock(point.slotFile(use.file()), point.metadata()).isPresent();
    } catch (IOException | LimitException e) {
      return false;
    }
  }

  /**
   * Reads a slot into {@code buffer} from offset 0 and checks header, id, lengths and payload
   * checksum. Waits for the rate limit first.
   *
   * @throws DataException BLOCK_DAMAGED naming disk, block and file; also when it can't be read
   */
  SlotHeader read(SlotUse use, BlockBuffer buffer) {
    String where =
        "block %d of disk %s in %s"
            .formatted(use.target(), point.disk(use.disk()).spec().name(), point.file().path());
    int length = SlotHeader.occupied(use.storedLength(), Page.BYTES);
    int plain = point.blockSize().lengthAt(use.target(), point.disk(use.disk()).spec().sizeBytes());
    if (length > buffer.capacity()) {
      throw damage(where, "the map says the slot is longer than a block");
    }
    rate.take(length, over);
    try {
      ExtentFile file = point.slotFile(use.file());
      ByteBuffer into = buffer.bytes(0, length);
      if (file.read(into, use.offset()) < use.storedLength()) {
        throw damage(where, "the file ends before the slot does");
      }
    } catch (IOException e) {
      throw new DataException(
          ErrorCode.BLOCK_DAMAGED,
          Side.REPOSITORY,
          "%s: could not be read: %s".formatted(where, e.getMessage()),
          e);
    }
    SlotHeader header = SlotHeader.check(buffer.bytes(), use.id(), use.storedLength(), where);
    if (!header.envelope().key().equals(point.keyId(use.key()))) {
      throw damage(where, "the slot is under another key than the map says");
    }
    if (header.plainLength() != plain) {
      throw damage(where, "the slot holds %d bytes, not %d".formatted(header.plainLength(), plain));
    }
    return header;
  }

  /** The header of a slot, when it can be read and is sound; its payload is not looked at. */
  Optional<SlotHeader> header(SlotUse use, BlockBuffer buffer) {
    try {
      if (point.slotFile(use.file()).read(buffer.bytes(0, Page.BYTES), use.offset())
          < SlotHeader.BYTES) {
        return Optional.empty();
      }
      SlotHeader header = SlotHeader.read(buffer.bytes(), point.file().path().toString());
      return header.id().equals(use.id()) && header.storedLength() == use.storedLength()
          ? Optional.of(header)
          : Optional.empty();
    } catch (IOException | DataException e) {
      LOG.debug("{}: the whole slot is looked at", e.getMessage());
      return Optional.empty();
    }
  }

  private static DataException damage(String where, String what) {
    return new DataException(
        ErrorCode.BLOCK_DAMAGED, Side.REPOSITORY, "%s: %s".formatted(where, what));
  }
}
