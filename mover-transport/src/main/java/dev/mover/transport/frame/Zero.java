package dev.mover.transport.frame;

/**
 * Blocks {@code firstBlock … firstBlock + count − 1} hold only zeros. With {@link Offer} and {@link
 * Same} this covers a disk once, in block order, without a gap.
 */
public record Zero(int disk, long firstBlock, long count) implements Frame {}
