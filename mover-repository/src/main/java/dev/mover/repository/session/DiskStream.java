package dev.mover.repository.session;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.block.DiskDigest;
import dev.mover.api.error.DataException;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.Side;
import dev.mover.api.point.DiskSpec;
import dev.mover.repository.file.MapEntry;
import dev.mover.repository.file.MapEntry.Slot;
import dev.mover.repository.file.MapEntry.Zeros;
import dev.mover.repository.file.OpenMap;
import dev.mover.repository.link.LinkContext;
import dev.mover.repository.session.ParentMap.ParentDisk;
import dev.mover.repository.slot.TaskSlots;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One disk of a session as it streams in: its open map and digest grow block by block, without a
 * gap. Strand only; blocks on the map's scratch and the parent's pages.
 */
final class DiskStream implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DiskStream.class);

  private enum State {
    IDLE,
    QUEUED,
    RUNNING,
    ENDED
  }

  private final int index;
  private final DiskSpec spec;
  private final BlockSize blockSize;
  private final long blocks;
  private final OpenMap map;
  private final DiskDigest digest;
  private State state = State.IDLE;
  private TaskSlots.@Nullable Request slot;
  private @Nullable ParentDisk parent;
  private @Nullable BlockId finalDigest;
  private BlockId seal = BlockId.NONE;
  private long next;
  private int unwritten;

  /** What was begun, taken or ended before a link was lost, and may be told again. */
  private State repeatState = State.IDLE;

  private long repeatEnd;

  DiskStream(int index, DiskSpec spec, BlockSize blockSize, OpenMap map) {
    this.index = index;
    this.spec = spec;
    this.blockSize = blockSize;
    this.blocks = blockSize.count(spec.sizeBytes());
    this.map = map;
    this.digest = new DiskDigest(spec.sizeBytes(), blockSize);
  }

  int index() {
    return index;
  }

  DiskSpec spec() {
    return spec;
  }

  OpenMap map() {
    return map;
  }

  int plainLength(long block) {
    return blockSize.lengthAt(block, spec.sizeBytes());
  }

  void queue(Supplier<TaskSlots.Request> asking) {
    if (state != State.IDLE) {
      throw LinkContext.violation("disk " + index + " was begun twice");
    }
    state = State.QUEUED;
    slot = asking.get();
  }

  /** Where it stands in the queue for task slots; null when it does not wait. */
  TaskSlots.@Nullable Place place() {
    TaskSlots.Request waiting = slot;
    return waiting == null ? null : waiting.place();
  }

  void begin(@Nullable ParentDisk parentDisk) {
    state = State.RUNNING;
    parent = parentDisk;
  }

  /** A link was lost: what it brought may come again on the next one. */
  void mayRepeat() {
    repeatState = state;
    repeatEnd = next;
  }

  /** Whether BEGIN_DISK came before a link was lost. */
  boolean isRepeated() {
    return repeatState != State.IDLE;
  }

  /** Whether these blocks were taken before a link was lost. */
  boolean has(long first, long count) {
    return count <= repeatEnd && first <= repeatEnd - count;
  }

  /** Its place or slot goes to others while there is no link. */
  void lendSlot() {
    releaseSlot();
  }

  /** Asks anew for what was lent. */
  void queueAgain(Supplier<TaskSlots.Request> asking) {
    if (state == State.QUEUED || state == State.RUNNING) {
      slot = asking.get();
    }
  }

  boolean isRunning() {
    return state == State.RUNNING;
  }

  boolean isEnded() {
    return state == State.ENDED;
  }

  /** Checks that {@code count} blocks from {@code first} are what comes next on a running disk. */
  void expect(long first, long count) {
    if (state != State.RUNNING) {
      throw LinkContext.violation("a frame about disk " + index + ", which is not running");
    }
    if (first != next || count < 1 || count > blocks - next) {
      throw LinkContext.violation(
          "blocks %d+%d of disk %d, expected were %d and on of %d"
              .formatted(first, count, index, next, blocks));
    }
  }

  void addZeros(long count) {
    map.append(new Zeros(count));
    digest.addZeros(count);
    next += count;
  }

  /** Adds a block; returns its entry in the map. */
  long addBlock(Slot slotOrPending) {
    digest.addBlock(slotOrPending.id());
    next++;
    return map.append(slotOrPending);
  }

  /** The parent's slot of the same block, when there is one. */
  @Nullable Slot parentSlot(long block) {
    ParentDisk from = parent;
    try {
      if (from != null && from.cursor().seek(block)) {
        return from.cursor().entry() instanceof Slot found ? found : null;
      }
    } catch (DataException e) {
      LOG.warn("{}; the rest of disk {} goes without a parent", e.getMessage(), spec.name());
      closeParent();
    }
    return null;
  }

  /** The file of the parent's map; only while there is one. */
  UUID parentFile() {
    return Objects.requireNonNull(parent, "there is a parent").parent().fileId();
  }

  /** The session's number for the file of a parent's slot, −1 when it can't be linked to. */
  int numberOf(Slot parentSlot) {
    ParentDisk from = parent;
    return from == null ? -1 : from.parent().numberOf(parentSlot);
  }

  /** The session's number for the key of a parent's slot. */
  int keyOf(Slot parentSlot, SessionKeys keys) {
    ParentDisk from = parent;
    return from == null
        ? SessionKeys.UNKNOWN
        : keys.numberOf(
            from.parent().fileId(), parentSlot.key(), () -> from.parent().key(parentSlot.key()));
  }

  /** The parent's entry that covers {@code block}, for SAME, and where it ends. */
  MapEntry sameEntry(long block) {
    return cursorAt(block).cursor().entry();
  }

  long sameEnd(long block) {
    return cursorAt(block).cursor().endBlock();
  }

  private ParentDisk cursorAt(long block) {
    ParentDisk from = parent;
    if (from == null
        || !from.cursor().seek(block)
        || blockSize.lengthAt(block, from.spec().sizeBytes()) != plainLength(block)) {
      throw LinkContext.violation(
          "SAME for block %d of disk %d, which the parent does not have".formatted(block, index));
    }
    return from;
  }

  void wanted(int more) {
    unwritten += more;
  }

  void written() {
    unwritten--;
  }

  /**
   * Ends the disk and gives its task slot back.
   *
   * @throws DataException DIGEST_MISMATCH
   */
  void end(BlockId expected, BlockId itsSeal) {
    if (repeatState == State.ENDED && expected.equals(finalDigest)) {
      return;
    }
    if (state != State.RUNNING || next != blocks || unwritten != 0) {
      throw LinkContext.violation(
          "END_DISK of disk %d at block %d of %d with %d blocks unwritten"
              .formatted(index, next, blocks, unwritten));
    }
    BlockId own = digest.finish();
    if (!own.equals(expected)) {
      throw new DataException(
          ErrorCode.DIGEST_MISMATCH,
          Side.REPOSITORY,
          "disk %s: the digest of what arrived is %s, the proxy's is %s; nothing was committed, run the backup again"
              .formatted(spec.name(), own, expected));
    }
    finalDigest = own;
    seal = itsSeal;
    state = State.ENDED;
    map.park();
    closeParent();
    releaseSlot();
  }

  BlockId seal() {
    return seal;
  }

  BlockId finalDigest() {
    BlockId ended = finalDigest;
    if (ended == null) {
      throw new IllegalStateException("disk " + index + " has not ended");
    }
    return ended;
  }

  private void closeParent() {
    if (parent != null) {
      parent.close();
      parent = null;
    }
  }

  private void releaseSlot() {
    if (slot != null) {
      slot.close();
      slot = null;
    }
  }

  @Override
  public void close() {
    closeParent();
    releaseSlot();
    map.close();
  }
}
