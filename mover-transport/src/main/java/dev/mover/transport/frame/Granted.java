package dev.mover.transport.frame;

/**
 * The disk may be streamed now.
 *
 * @param creditBytes adds to the session's credit; every {@link BulkHeader BLOCK} costs {@link
 *     BulkHeader#cost}
 */
public record Granted(int disk, long creditBytes) implements Frame {}
