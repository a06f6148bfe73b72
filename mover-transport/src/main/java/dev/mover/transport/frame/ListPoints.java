package dev.mover.transport.frame;

/**
 * Asks for restore points.
 *
 * @param machine only this one's; empty: all
 */
public record ListPoints(String machine) implements Frame {}
