package dev.mover.proxy.pipeline;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import dev.mover.api.point.DiskSpec;
import dev.mover.proxy.BackupRequest;
import dev.mover.transport.frame.Need;
import java.util.ArrayList;
import java.util.List;

/** What the repository asked for again in one round. Guarded by the session's lock. */
final class NeedList {
  /**
   * Blocks a repository may ask for in one round; it may ask for more in the next. Bounds the heap:
   * a disk has millions.
   */
  static final int MOST_BLOCKS = 64 << 10;

  private final BackupRequest request;
  private List<Need> needs = new ArrayList<>();
  private int blocks;
  private boolean complete;

  NeedList(BackupRequest request) {
    this.request = request;
  }

  /**
   * Takes one frame in.
   *
   * @throws LinkException PROTOCOL_VIOLATION when it asks for what the machine doesn't have, or for
   *     more than {@link #MOST_BLOCKS}
   */
  void add(Need need) {
    if (need.disk() >= request.disks().size()) {
      throw violation("disk %d, which the machine doesn't have".formatted(need.disk()));
    }
    DiskSpec disk = request.disks().get(need.disk()).spec();
    long end = request.blockSize().count(disk.sizeBytes());
    if (need.blocks().stream().anyMatch(block -> block >= end)) {
      throw violation("blocks beyond the end of disk " + disk.name());
    }
    blocks += need.blocks().size();
    if (blocks > MOST_BLOCKS) {
      throw violation("more than %d blocks at once".formatted(MOST_BLOCKS));
    }
    needs.add(need);
    complete = need.last();
  }

  /** Whether the round's last frame is here. */
  boolean complete() {
    return complete;
  }

  /** The round; the list is ready for the next one. */
  List<Need> take() {
    List<Need> taken = needs;
    needs = new ArrayList<>();
    blocks = 0;
    complete = false;
    return taken;
  }

  private static LinkException violation(String what) {
    return new LinkException(
        ErrorCode.PROTOCOL_VIOLATION, "the repository sent a NEED for " + what);
  }
}
