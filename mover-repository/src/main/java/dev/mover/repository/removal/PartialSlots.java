package dev.mover.repository.removal;

import dev.mover.api.block.BlockId;
import dev.mover.api.error.DataException;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.memory.BufferSet;
import dev.mover.repository.extent.ExtentError;
import dev.mover.repository.extent.ExtentFile;
import dev.mover.repository.file.SlotHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The slots of a file that has no map: they lie one after the other, with what never was written
 * between them. Reads 4 KiB a slot. One thread; blocks.
 */
final class PartialSlots {
  private static final int PAGE = 4096;

  private final ExtentFile file;
  private final UUID fileId;
  private final int alignment;

  PartialSlots(ExtentFile file, UUID fileId, int alignment) {
    this.file = file;
    this.fileId = fileId;
    this.alignment = alignment;
  }

  /**
   * Gives the block of each slot that was first written here, those that were cloned left out.
   *
   * @param cancelled asked between two slots
   * @throws dev.mover.api.error.RepositoryException REPOSITORY_READ_FAILED: of the rest nothing is
   *     known
   */
  void each(BufferPool pool, BooleanSupplier cancelled, Consumer<BlockId> consumer) {
    try (BufferSet set = pool.lease(PAGE, 1, () -> {})) {
      BlockBuffer page = Objects.requireNonNull(set.tryTake(), "a fresh lease has buffers");
      try {
        long size = file.size();
        long at = SlotHeader.occupied(PAGE, alignment);
        while (at + PAGE <= size && !cancelled.getAsBoolean()) {
          at += step(page, at, consumer);
        }
      } catch (IOException e) {
        throw ExtentError.reading(file.name(), e);
      } finally {
        page.release();
      }
    }
  }

  /** How far it is to where the next slot may begin. */
  private int step(BlockBuffer page, long at, Consumer<BlockId> consumer) throws IOException {
    ByteBuffer into = page.bytes();
    if (file.read(into, at) < PAGE || page.bytes().getInt(0) == 0) {
      return alignment; // a hole
    }
    try {
      SlotHeader slot = SlotHeader.read(page.bytes(), file.name());
      if (slot.originFile().equals(fileId)) {
        consumer.accept(slot.id());
      }
      return SlotHeader.occupied(slot.storedLength(), alignment);
    } catch (DataException e) {
      return alignment; // metadata of a commit that did not come to its end, or torn
    }
  }
}
