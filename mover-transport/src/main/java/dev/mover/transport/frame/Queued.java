package dev.mover.transport.frame;

/**
 * No repository slot is free yet; sent again whenever the position changes.
 *
 * @param position 1 = next
 */
public record Queued(int disk, int position, String reason) implements Frame {}
