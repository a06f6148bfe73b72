package dev.mover.proxy.restore;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import dev.mover.transport.frame.MapPart;
import dev.mover.transport.frame.MapPart.MapRun;
import dev.mover.transport.frame.ReadMap;

/** Pulls the map of one disk part by part; nothing of it is kept. */
final class DiskMap {
  /** Takes one run of the map. */
  @FunctionalInterface
  interface RunConsumer {
    void on(long block, MapRun run);
  }

  private final Conversation link;
  private final int disk;
  private final long blocks;
  private final boolean tolerant;

  /**
   * @param tolerant whether parts may be lost
   */
  DiskMap(Conversation link, int disk, long blocks, boolean tolerant) {
    this.link = link;
    this.disk = disk;
    this.blocks = blocks;
    this.tolerant = tolerant;
  }

  /**
   * Every run in block order; together they cover the disk once. Blocks.
   *
   * @throws LinkException PROTOCOL_VIOLATION when they don't, or are lost and may not be
   */
  void eachRun(RunConsumer consumer) {
    long block = 0;
    while (block < blocks) {
      MapPart part = link.ask(new ReadMap(disk, block), MapPart.class);
      if (part.disk() != disk || part.fromBlock() != block || part.runs().isEmpty()) {
        throw violation("has a gap at block " + block);
      }
      for (MapRun run : part.runs()) {
        if (run.count() < 1 || run.count() > blocks - block) {
          throw violation("runs past its end");
        }
        if (run.lost() && !tolerant) {
          throw violation("has lost blocks, which only a tolerant restore asks for");
        }
        consumer.on(block, run);
        block += run.count();
      }
    }
  }

  private static LinkException violation(String what) {
    return new LinkException(ErrorCode.PROTOCOL_VIOLATION, "the map of the disk " + what);
  }
}
