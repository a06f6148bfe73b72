package dev.mover.repository.session;

import dev.mover.api.block.BlockId;
import dev.mover.dedup.index.BlockPlace;
import dev.mover.repository.commit.SourceFiles;
import dev.mover.repository.file.MapEntry;
import dev.mover.repository.file.MapEntry.Slot;
import dev.mover.repository.file.MapEntry.Zeros;
import dev.mover.repository.link.LinkContext;
import dev.mover.transport.frame.Offer;
import dev.mover.transport.frame.Same;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides for every offered block whether it is wanted. In this order: the same block of the
 * parent, blocks of this session (stored or on their way), the index. Strand only, except {@link
 * #wanted}, which the transport's thread reads; blocks on map pages and the index.
 */
final class OfferDesk {
  /**
   * Blocks wanted and not yet written. A proxy keeps each in memory until then, so an honest one
   * has far fewer.
   */
  static final int MAX_WANTED = 16 << 10;

  private final KnownBlocks known;
  private final SourceFiles sources;
  private final SessionKeys keys;
  private final Map<Long, Wanted> wanted = new ConcurrentHashMap<>();
  private long linkedBytes;

  OfferDesk(KnownBlocks known, SourceFiles sources, SessionKeys keys) {
    this.known = known;
    this.sources = sources;
    this.keys = keys;
  }

  /** The wanted block with that {@link Wanted#key}; any thread. */
  @Nullable Wanted wanted(long key) {
    return wanted.get(key);
  }

  boolean isNothingWanted() {
    return wanted.isEmpty();
  }

  /** Stored bytes of blocks that were linked rather than sent. */
  long linkedBytes() {
    return linkedBytes;
  }

  /** Takes an offer into the disk's map; the bits of what must be sent. */
  BitSet take(DiskStream disk, Offer offer) {
    List<BlockId> ids = offer.ids();
    if (wanted.size() + ids.size() > MAX_WANTED) {
      throw LinkContext.violation("more than " + MAX_WANTED + " wanted blocks were not sent");
    }
    @Nullable Slot[] links = new @Nullable Slot[ids.size()];
    List<BlockId> unknown = new ArrayList<>();
    for (int i = 0; i < links.length; i++) {
      links[i] = knownWithoutIndex(disk, offer.firstBlock() + i, ids.get(i));
      if (links[i] == null && known.wanted(ids.get(i)) == null) {
        unknown.add(ids.get(i));
      }
    }
    List<@Nullable BlockPlace> places = known.find(unknown);
    BitSet bits = new BitSet(links.length);
    int at = 0;
    for (int i = 0; i < links.length; i++) {
      BlockId id = ids.get(i);
      Slot link = links[i];
      if (link == null && at < unknown.size() && unknown.get(at).equals(id)) {
        BlockPlace place = places.get(at++);
        link = place == null ? null : linkTo(place, id);
      }
      if (add(disk, offer.firstBlock() + i, id, link)) {
        bits.set(i);
      }
    }
    disk.wanted(bits.cardinality());
    return bits;
  }

  /** Answers an offer that was taken before a link was lost: what has not come since. */
  BitSet repeat(Offer offer) {
    BitSet bits = new BitSet(offer.ids().size());
    for (int i = 0; i < offer.ids().size(); i++) {
      Wanted block = wanted.get(Wanted.key(offer.disk(), offer.firstBlock() + i));
      if (block != null && !block.id().equals(offer.ids().get(i))) {
        throw LinkContext.violation(
            "block %d of disk %d was offered with another id before"
                .formatted(block.block(), block.disk()));
      }
      bits.set(i, block != null);
    }
    return bits;
  }

  /** What was on its way on a link that was lost may be sent again. */
  void expectAgain() {
    wanted.values().forEach(Wanted::expectAgain);
  }

  /** What NEED asked for and has not come, in the disks' order. */
  List<Wanted> wantedAgain() {
    return wanted.values().stream()
        .filter(Wanted::isAgain)
        .sorted(Comparator.comparingInt(Wanted::disk).thenComparingLong(Wanted::block))
        .toList();
  }

  /** Takes ranges of the parent into the disk's map; returns early when {@code context} is over. */
  void take(DiskStream disk, Same same, ProxyLink context) {
    long block = same.firstBlock();
    long end = block + same.count();
    while (block < end) {
      context.checkOver();
      MapEntry entry = disk.sameEntry(block);
      switch (entry) {
        case Zeros _ -> {
          long run = Math.min(end, disk.sameEnd(block)) - block;
          disk.addZeros(run);
          block += run;
        }
        case Slot slot when !isSound(disk, slot) -> {
          disk.addBlock(pending(slot.id())); // NEED asks for it when the disks are ended
          block++;
        }
        case Slot slot -> {
          int number = disk.numberOf(slot);
          int key = disk.keyOf(slot, keys);
          if (number < 0 || key < 0) {
            throw LinkContext.violation(
                "SAME for block %d, whose file the parent lost".formatted(block));
          }
          disk.addBlock(slot.at(number, slot.storedLength(), slot.offset(), key));
          linkedBytes += slot.storedLength();
          block++;
        }
      }
    }
  }

  /** A block's slot is written: fills every entry that waits for it. */
  void stored(List<DiskStream> disks, Wanted block, Slot slot) {
    wanted.remove(Wanted.key(block.disk(), block.block()));
    known.stored(block, slot);
    DiskStream disk = disks.get(block.disk());
    disk.written();
    disk.map().fill(block.entry(), slot);
    for (Wanted.Place place : block.alsoFor()) {
      disks.get(place.disk()).map().fill(place.entry(), slot);
      linkedBytes += slot.storedLength();
    }
  }

  /** Asks for a block that can't be linked after all; false: it is there by now, or on its way. */
  boolean wantAgain(DiskStream disk, long block, long entry, BlockId id) {
    BlockPlace own = known.ownSlot(id);
    if (own != null) {
      disk.map().fill(entry, ownSlot(own, id));
      return false;
    }
    Wanted same = known.wanted(id);
    if (same != null) {
      same.alsoFor(disk.index(), entry);
      return false;
    }
    ask(disk, block, entry, id, true);
    disk.wanted(1);
    return true;
  }

  private @Nullable Slot knownWithoutIndex(DiskStream disk, long block, BlockId id) {
    Slot before = disk.parentSlot(block);
    if (before != null && before.id().equals(id) && isSound(disk, before)) {
      int number = disk.numberOf(before);
      int key = disk.keyOf(before, keys);
      if (number >= 0 && key >= 0) {
        return before.at(number, before.storedLength(), before.offset(), key);
      }
    }
    BlockPlace own = known.ownSlot(id);
    return own == null ? null : ownSlot(own, id);
  }

  /** Whether the parent's copy of a block may be linked to. */
  private boolean isSound(DiskStream disk, Slot parentSlot) {
    return !known.isSuspect(parentSlot.id(), disk.parentFile());
  }

  private static Slot pending(BlockId id) {
    return new Slot(0, 0, 0, id, 0);
  }

  private static Slot ownSlot(BlockPlace place, BlockId id) {
    return new Slot(0, place.storedLength(), place.offset(), id, place.key());
  }

  private @Nullable Slot linkTo(BlockPlace place, BlockId id) {
    if (known.isOwn(place)) {
      return ownSlot(place, id);
    }
    if (known.isSuspect(id, place.fileId())) {
      return null;
    }
    int number = sources.numberOf(place);
    int key =
        number < 0
            ? SessionKeys.UNKNOWN
            : keys.numberOf(place.fileId(), place.key(), () -> sources.key(number, place.key()));
    return key < 0 ? null : new Slot(number, place.storedLength(), place.offset(), id, key);
  }

  /** Appends the block's entry; true when it must be sent. */
  private boolean add(DiskStream disk, long block, BlockId id, @Nullable Slot link) {
    if (link != null) {
      disk.addBlock(link);
      linkedBytes += link.storedLength();
      return false;
    }
    long entry = disk.addBlock(pending(id));
    Wanted same = known.wanted(id);
    if (same != null) {
      same.alsoFor(disk.index(), entry);
      return false;
    }
    ask(disk, block, entry, id, false);
    return true;
  }

  private void ask(DiskStream disk, long block, long entry, BlockId id, boolean again) {
    Wanted asked = new Wanted(disk.index(), block, entry, id, disk.plainLength(block), again);
    known.want(asked);
    wanted.put(Wanted.key(disk.index(), block), asked);
  }
}
