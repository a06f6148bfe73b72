package dev.mover.transport.link;

import dev.mover.api.memory.BlockBuffer;
import dev.mover.transport.frame.BulkHeader;

/**
 * Lends buffers to a link for the payloads that arrive. All methods are called on the transport's
 * thread (in process: the sender's) and must not block.
 */
public interface BulkReceiver {
  /**
   * A bulk frame's header has arrived and passed its bounds. Returns the buffer its payload is
   * copied into, from {@link #payloadOffset} on; the link owns it until {@link #arrived} or {@link
   * #dropped}.
   *
   * @throws dev.mover.api.error.LinkException PROTOCOL_VIOLATION when nothing of this kind is
   *     expected now or the peer sends beyond its credit; the link then fails with it
   */
  BlockBuffer lend(BulkHeader header);

  /** Where in the lent buffer the payload begins: room for a slot header before it. */
  int payloadOffset();

  /** The payload is complete (its CRC not yet checked); the receiver owns the buffer again. */
  void arrived(BulkHeader header, BlockBuffer buffer);

  /** The link ended in mid-payload; the receiver owns the buffer again. */
  void dropped(BlockBuffer buffer);

  /** For links that carry no bulk frames towards this side. */
  BulkReceiver NONE =
      new BulkReceiver() {
        @Override
        public BlockBuffer lend(BulkHeader header) {
          throw new dev.mover.api.error.LinkException(
              dev.mover.api.error.ErrorCode.PROTOCOL_VIOLATION,
              "the peer sent a " + header.kind() + " frame where none is expected");
        }

        @Override
        public int payloadOffset() {
          return 0;
        }

        @Override
        public void arrived(BulkHeader header, BlockBuffer buffer) {
          throw new AssertionError("nothing was lent");
        }

        @Override
        public void dropped(BlockBuffer buffer) {
          throw new AssertionError("nothing was lent");
        }
      };
}
