package dev.mover.transport.frame;

/**
 * Everything acknowledged before this frame is durable and, if the session dies, known to the next.
 *
 * @param storedBytes durable so far in this session's file
 */
public record Checkpoint(long storedBytes) implements Frame {}
