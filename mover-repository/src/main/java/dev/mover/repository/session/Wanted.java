package dev.mover.repository.session;

import dev.mover.api.block.BlockId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A block the proxy was asked to send. Made and ended on the session's strand; the transport's
 * thread only reads it and marks it as coming.
 */
final class Wanted {
  private static final int DISK_SHIFT = 48;

  private final int disk;
  private final long block;
  private final long entry;
  private final BlockId id;
  private final int plainLength;
  private final boolean again;
  private final AtomicBoolean coming = new AtomicBoolean();
  private final List<Place> alsoFor = new ArrayList<>();

  /** An entry of a disk's open map. */
  record Place(int disk, long entry) {}

  /**
   * @param again the proxy was told that it need not send it, and reads it a second time
   */
  Wanted(int disk, long block, long entry, BlockId id, int plainLength, boolean again) {
    this.disk = disk;
    this.block = block;
    this.entry = entry;
    this.id = id;
    this.plainLength = plainLength;
    this.again = again;
  }

  /** Disk and block in one number: a disk has less than 2^46 blocks, a machine 256 disks. */
  static long key(int disk, long block) {
    return ((long) disk << DISK_SHIFT) | block;
  }

  int disk() {
    return disk;
  }

  long block() {
    return block;
  }

  long entry() {
    return entry;
  }

  BlockId id() {
    return id;
  }

  int plainLength() {
    return plainLength;
  }

  boolean isAgain() {
    return again;
  }

  /** True for the first caller only: a block is sent once. */
  boolean come() {
    return coming.compareAndSet(false, true);
  }

  /** It did not come: its link was lost. Nothing is on its way when this is called. */
  void expectAgain() {
    coming.set(false);
  }

  /** Another entry that has the same content and waits for the same slot. */
  void alsoFor(int otherDisk, long otherEntry) {
    alsoFor.add(new Place(otherDisk, otherEntry));
  }

  List<Place> alsoFor() {
    return alsoFor;
  }
}
