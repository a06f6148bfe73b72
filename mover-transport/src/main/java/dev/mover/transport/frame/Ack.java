package dev.mover.transport.frame;

import java.util.List;

/**
 * These blocks are written (not yet durable, see {@link Checkpoint}).
 *
 * @param blocks 1 to {@link #MAX_BLOCKS} block indexes, any order
 */
public record Ack(int disk, List<Long> blocks) implements Frame {
  public static final int MAX_BLOCKS = 256;

  public Ack {
    blocks = List.copyOf(blocks);
  }
}
