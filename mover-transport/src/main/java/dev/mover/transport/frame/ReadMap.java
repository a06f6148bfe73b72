package dev.mover.transport.frame;

/**
 * Asks for the next part of a disk's map.
 *
 * @param fromBlock 0, then where the last {@link MapPart} ended
 */
public record ReadMap(int disk, long fromBlock) implements Frame {}
