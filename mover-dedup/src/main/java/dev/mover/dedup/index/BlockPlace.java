package dev.mover.dedup.index;

import java.util.UUID;

/**
 * A durable slot.
 *
 * @param fileId backup file that holds it; may be gone, then this is a miss
 * @param offset of the slot in that file, in bytes; a multiple of 4 KiB, below 4 PiB
 * @param storedLength header and payload, without padding, in bytes; below 16 MiB
 * @param key number of its key in that file's table, below 2^16; 0: not encrypted
 */
public record BlockPlace(UUID fileId, long offset, int storedLength, int key) {}
