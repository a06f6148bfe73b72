package dev.mover.proxy.restore;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.transport.frame.BulkHeader;
import dev.mover.transport.link.BulkReceiver;
import org.jspecify.annotations.Nullable;

/**
 * What a restore's link lends: nothing, until there is a transfer to take blocks. The link wants
 * its receiver before the disk is known.
 */
final class BulkGate implements BulkReceiver {
  private volatile @Nullable Transfer transfer;

  /** Once. */
  void open(Transfer to) {
    transfer = to;
  }

  private Transfer transfer() {
    Transfer open = transfer;
    if (open == null) {
      throw new LinkException(
          ErrorCode.PROTOCOL_VIOLATION, "the repository sent a block before it was asked to");
    }
    return open;
  }

  @Override
  public BlockBuffer lend(BulkHeader header) {
    return transfer().lend(header);
  }

  @Override
  public int payloadOffset() {
    return 0;
  }

  @Override
  public void arrived(BulkHeader header, BlockBuffer buffer) {
    transfer().arrived(header, buffer);
  }

  @Override
  public void dropped(BlockBuffer buffer) {
    transfer().dropped(buffer);
  }
}
