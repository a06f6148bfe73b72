package dev.mover.transport.frame;

import dev.mover.api.block.BlockId;

/**
 * All blocks of the disk were offered and every wanted one acknowledged; gives back the task slot.
 *
 * @param digest {@link dev.mover.api.block.DiskDigest} as the proxy computed it; the repository
 *     compares it with its own
 */
public record EndDisk(int disk, BlockId digest) implements Frame {}
