package dev.mover.transport.frame;

import dev.mover.api.block.BlockId;
import java.util.List;

/**
 * Ids of consecutive blocks; asks which of them the repository wants to be sent.
 *
 * <pre>
 * 0   u16   disk
 * 2   u64   first block
 * 10  u16   count               1 to 128
 * 12  id    × count
 * </pre>
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

  static final FrameCodec<Offer> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Offer offer, FrameWriter out) {
          out.disk(offer.disk()).i64(offer.firstBlock()).count(offer.ids().size(), 1, MAX_IDS);
          offer.ids().forEach(out::id);
        }

        @Override
        public Offer read(FrameReader in) {
          Offer offer = new Offer(in.disk(), in.notNegative(), in.list(1, MAX_IDS, in::id));
          in.run(offer.firstBlock, offer.ids.size());
          return offer;
        }
      };
}
