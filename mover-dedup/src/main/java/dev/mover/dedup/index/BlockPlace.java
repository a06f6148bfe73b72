package dev.mover.dedup.index;

import java.util.UUID;

/**
 * A durable slot.
 *
 * @param fileId backup file that holds it; may be gone, then this is a miss
 * @param offset of the slot in that file, in bytes
 * @param storedLength header and payload, without padding, in bytes
 */
public record BlockPlace(UUID fileId, long offset, int storedLength) {}
