package dev.mover.transport.frame;

/**
 * Blocks unchanged since the parent point (change tracking): the repository takes ids and places
 * from the parent's map. Zero ranges of the parent stay zero.
 */
public record Same(int disk, long firstBlock, long count) implements Frame {}
