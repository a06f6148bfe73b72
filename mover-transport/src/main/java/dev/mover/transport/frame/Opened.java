package dev.mover.transport.frame;

import java.util.UUID;

/**
 * The session is open; nothing runs until a disk's task slot is granted.
 *
 * @param fileId of the backup file that is being written
 * @param sequence the point will have when committed, unless another session commits first
 * @param parentSequence the machine's newest point, 0 when there is none
 */
public record Opened(UUID fileId, long sequence, long parentSequence) implements Frame {}
