package dev.mover.transport.frame;

import dev.mover.api.block.BlockId;
import java.util.List;

/**
 * Ids of consecutive blocks; asks which of them the repository wants to be sent.
 *
 * @param ids 1 to {@link #MAX_IDS}
 */
public record Offer(int disk, long firstBlock, List<BlockId> ids) implements Frame {
  /** 128 × 32 bytes: a page of ids; at 1 MiB blocks an offer covers 128 MiB of disk at most. */
  public static final int MAX_IDS = 128;

  /** How many offers of one disk may wait for their answer; bounds the repository's mailbox. */
  public static final int MAX_UNANSWERED = 32;

  public Offer {
    ids = List.copyOf(ids);
  }
}
