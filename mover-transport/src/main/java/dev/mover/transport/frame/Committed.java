package dev.mover.transport.frame;

import java.util.List;
import java.util.UUID;

/**
 * The point is durable and listed.
 *
 * @param storedBytes new slots of this session, with headers and padding
 * @param linkedBytes stored bytes brought in by cloning or by reference
 * @param cloneRuns clone calls it took; 0 where the file system can't clone
 * @param copiedBytes links that had to be copied because cloning failed
 */
public record Committed(
    long sequence,
    UUID fileId,
    long fileBytes,
    long storedBytes,
    long linkedBytes,
    long cloneRuns,
    long copiedBytes,
    List<String> warnings)
    implements Frame {}
